/* Where tasks run whose data was allocated one after the other by ompx_malloc(). homes HOW BYTES: 48 tasks, one a block; prints how
 * many ran at home: on the domain that the policy coarse gives to their block; and how many where the creator is.
 *   HOW  plain    the task says that it uses its block
 *        two      beside it the next block but seven, of three times the size, and nothing of which it uses more
 *        intense  the same, with its own block named as what it uses most */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ompx_locality.h>

enum { kBlocks = 48, kAway = 8 };

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int two = strcmp(argv[1], "plain") != 0, intense = !strcmp(argv[1], "intense");
  const size_t bytes = (size_t)atol(argv[2]);
  char *block[kBlocks], *other[kBlocks];
  const int domains = ompx_get_num_domains();
  for (int i = 0; i < kBlocks; i++) block[i] = ompx_malloc(bytes);
  /* Away from its own by as many domains: the next in turn is domain kBlocks % domains. */
  for (int i = 0; i < kBlocks; i++) other[i] = two ? ompx_malloc(3 * bytes) : NULL;
  int home = 0, creator = 0;
#pragma omp parallel
#pragma omp single
  {
    const int here = ompx_get_domain_num();
    for (int i = 0; i < kBlocks; i++) {
      ompx_task_footprint(block[i], bytes, OMPX_READ_WRITE);
      if (two) ompx_task_footprint(other[(i + kAway) % kBlocks], 3 * bytes, OMPX_READ);
      if (intense) ompx_task_intensity(block[i]);
#pragma omp task shared(home, creator)
      {
        const int where = ompx_get_domain_num();
#pragma omp atomic
        home += where == i % domains;
#pragma omp atomic
        creator += where == here;
      }
    }
  }
  printf("%d %d\n", home, creator);
  return 0;
}

/* Calls everything of ompx_locality.h. argv[1]: whose runtime this is: einkorn, or another one. C and C++. */
#include <omp.h>
#include <ompx_compat.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(++failures, printf("line %d: not so: %s\n", __LINE__, #x)))

static void memory(void *p, size_t bytes) {
  CHECK(p != NULL);
  if (p) memset(p, 1, bytes);
  ompx_free(p);
}

int main(int argc, char **argv) {
  int ours = argc > 1 && strcmp(argv[1], "einkorn") == 0, wanted = ours ? 0 : ENOSYS, sum = 0;
  errno = 0;
  CHECK(ompx_get_num_domains() >= 1 && (ours || ompx_get_num_domains() == 1));
  CHECK(ompx_get_domain_num() >= 0 && ompx_get_domain_num() < ompx_get_num_domains());
  CHECK(ompx_domain_distance(0, 0) == 10);
  CHECK(ompx_domain_distance(0, 5000) == -1);
  CHECK(omp_get_num_locality_domains() == ompx_get_num_domains());
  CHECK(omp_get_locality_domain_num() < ompx_get_num_domains());
  memory(ompx_malloc(10000), 10000);
  memory(ompx_malloc_policy(10000, OMPX_POLICY_FINE), 10000);
  memory(ompx_malloc_policy(100, OMPX_POLICY_COARSE), 100);
  memory(ompx_alloc_interleaved(10000), 10000);
  memory(ompx_alloc_block_cyclic(100000, 5000), 100000);
  memory(ompx_alloc_block_cyclic_2d(30, 50, 8, 5, 5), 30 * 50 * 8);
  CHECK(ompx_alloc_block_cyclic_2d((size_t)-1, 50, 8, 5, 5) == NULL);
  memory(omp_malloc(100), 100);
  memory(omp_malloc_specific(100, OMP_MALLOC_COARSE), 100);
  memory(r_ompx_interleaved_alloc(100), 100);
  memory(omp_locality_domain_allocate_bloc1dcyclic(10000, 4096), 10000);
  memory(omp_locality_domain_allocate_bloc1d(10000), 10000);
  memory(omp_locality_domain_allocate_bloc2dcyclic(10, 10, 8, 2, 2), 800);
  CHECK(omp_locality_domain_free(omp_locality_domain_alloc(10), 10) == 0);
  char *p = (char *)malloc(50000);
  memset(p, 3, 50000);
  CHECK(ompx_migrate(p, 50000, 0) == wanted);
  CHECK(ompx_fetch(p, 50000) == wanted);
  CHECK(r_ompx_fetch(p, 50000) == wanted);
  CHECK(ompx_next_touch(p, 50000) == wanted);
  for (int i = 0; i < 50000; ++i) sum += p[i];
  CHECK(sum == 150000);
  free(p);
  CHECK(ompx_child_task_affinity(0) == wanted);
  CHECK(ompx_child_task_affinity(OMPX_NO_DOMAIN) == wanted);
  CHECK(ompx_next_task_affinity(0) == wanted);
  CHECK(ompx_task_footprint(&sum, sizeof sum, OMPX_READ_WRITE) == wanted);
  CHECK(ompx_task_intensity(&sum) == wanted);
  CHECK(omp_child_task_affinity(OMP_NO_CHILD_TASK_AFFINITY) == wanted);
  CHECK(omp_set_affinity(OMPX_NO_DOMAIN) == wanted);
  CHECK(errno == 0);
#pragma omp parallel reduction(+ : sum)
#pragma omp single
#pragma omp task shared(sum)
  sum += ompx_get_domain_num() >= 0;
  CHECK(sum == 150001);
  return failures != 0;
}

// Data-sharing clauses, on all kinds of variables.
// regions: 14 of 14
#include "check.h"

struct point { double x, y; char name[8]; };
typedef int row[4];
static int file_scope = 3;
int exported[8];
enum colour { red, green };

static void shared_variables(void) {
  int read_only = 5, written = 0, elements[16] = {0}, whole[4] = {1, 2, 3, 4};
  struct point p = {1, 2, "point"};
  enum colour c = green;
  double *heap = calloc(16, sizeof *heap);
  const int fixed = 7;
#pragma omp parallel
  {
    int id = omp_get_thread_num();
    if (id < 16) elements[id] = read_only + fixed, heap[id] = p.x + c;
#pragma omp critical
    {
      written += (int)(sizeof whole / sizeof whole[0]) + whole[1];
      p.y += 1;
      file_scope++;
    }
  }
  int n = elements[15] ? 16 : 0;
  for (n = 0; n < 16 && elements[n]; n++) CHECK(elements[n] == 12 && heap[n] == 2);
  CHECK((n >= 1 && written == 6 * n) || n == 16);
  CHECK(p.y == 2 + written / 6 && file_scope == 3 + written / 6);
  free(heap);
}

static void own_copies(void) {
  int a = 1, b = 2, array[3] = {1, 2, 3}, sum = 0;
  struct point p = {3, 4, "own"};
  row r = {1, 1, 1, 1};
#pragma omp parallel private(a) firstprivate(b, array, p, r) reduction(+ : sum)
  {
    a = b;
    b += a;
    array[0] += 10;
    p.x += array[0];
    p.name[0] = 'O';
    r[3] = 5;
    sum += b == 4 && array[0] == 11 && p.x == 14 && p.name[1] == 'w' && r[3] + r[0] == 6;
  }
  CHECK(a == 1 && b == 2 && array[0] == 1 && p.x == 3 && p.name[0] == 'o');
  CHECK(sum >= 1);
  file_scope = 9;
#pragma omp parallel private(file_scope) firstprivate(exported)
  {
    file_scope = 1;
    exported[0] += file_scope;
    if (exported[0] != 1) abort();
  }
  CHECK(file_scope == 9 && exported[0] == 0);
}

static void by_default(int parameter, double matrix[][4]) {
  static int kept = 1;
  int hidden = 1;
#pragma omp parallel default(none) shared(parameter, matrix, kept) firstprivate(hidden)
  {
    int parameter_too = parameter;
    {
      int hidden = 5; /* another one */
      parameter_too += hidden;
    }
#pragma omp master
    {
      matrix[1][2] = parameter_too;
      kept = hidden;
    }
  }
  CHECK(matrix[1][2] == parameter + 5 && kept == 1);
}

static void reductions(int n) {
  int sum = 1, product = 1, any = 0, all = 1, low = 1000, ones = 0, mask = ~0, odd = 0;
  unsigned most = 0;
  double d = 0.5, least = 1e9;
  short small = -5;
#pragma omp parallel for reduction(+ : sum, d) reduction(- : small) reduction(max : most) reduction(min : low, least)
  for (int i = 0; i < n; i++) {
    sum += i;
    d += i;
    small -= 1;
    if ((unsigned)i > most) most = (unsigned)i;
    if (i - 3 < low) low = i - 3;
    if (i * 0.5 < least) least = i * 0.5;
  }
#pragma omp parallel for reduction(* : product) reduction(|| : any) reduction(&& : all) reduction(| : ones) \
    reduction(& : mask) reduction(^ : odd)
  for (int i = 1; i <= 10; i++) {
    product *= i;
    any = any || i == 7;
    all = all && i < 20;
    ones |= i;
    mask &= ~i;
    odd ^= i;
  }
  CHECK(sum == 1 + n * (n - 1) / 2 && d == 0.5 + n * (n - 1) / 2 && small == -5 - n);
  CHECK(most == (unsigned)n - 1 && low == -3 && least == 0);
  CHECK(product == 3628800 && any && all && ones == 15 && mask == ~15 && odd == 11);
  long inside = 0;
  int count = 0;
#pragma omp parallel shared(inside)
  {
#pragma omp for reduction(+ : inside)
    for (int i = 0; i < n; i++) inside += i;
    if (inside != (long)n * (n - 1) / 2) abort();
#pragma omp barrier
#pragma omp for schedule(dynamic) reduction(+ : inside, count)
    for (int i = 0; i < n; i++) inside -= i, count++;
#pragma omp for nowait reduction(+ : count)
    for (int i = 0; i < n; i++) count++;
  }
  CHECK(inside == 0 && count == 2 * n);
}

static void last(int n) {
  int x = -1, array[2] = {0, 0}, i, y = 0;
#pragma omp parallel for lastprivate(x, array, i)
  for (i = 0; i < n; i += 3) x = i, array[1] = i + 1;
  CHECK(x == (n - 1) / 3 * 3 && array[1] == x + 1 && i == x + 3);
#pragma omp parallel
#pragma omp for lastprivate(y)
  for (int k = n; k > 0; --k) y = k;
  CHECK(y == 1);
}

/* Where the region is the only statement of something. */
static int places(int n) {
  int calls = 0;
  if (n > 100)
#pragma omp parallel
    abort();
  else if (n > 2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    calls++;
  else
    calls = -1;
  for (int i = 0; i < 2; i++)
#pragma omp parallel if (i > 0) num_threads(3)
  {
#pragma omp atomic
    calls++;
  }
  switch (n) {
    case 5:
#pragma omp parallel num_threads(1)
      calls++;
      break;
    default: abort();
  }
  return calls;
}

union either { double real; long whole[2]; };
// Anew in each round, whatever the one before has left; and what is not all zero.
static void zeroed(void) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  for (int round = 0; round < 3; round++) {
    int plain[5] = {0};
    int table[2][3] = {{0}, {0, 0, 0}}, beside = 4;
    const struct point p = {0, 0.0, {0}};
    union either e = {0};
    void *none[3] = {NULL, (void *)0};
    double signs[2] = {-0.0};
    int some[3] = {0, 1};
    struct point named = {0, 0, "n"};
    plain[round] += round + 1, table[1][2] += 3, e.whole[1]++, none[2] = &file_scope, some[2]++, beside++;
#pragma omp barrier
    for (int i = 0; i < 5; i++) wrong += plain[i] != (i == round ? round + 1 : 0);
    wrong += table[0][0] + table[0][2] + table[1][1] + table[1][2] != 3 || beside != 5;
    wrong += p.x != 0 || p.y != 0 || p.name[7] != 0 || named.name[0] != 'n' || named.x != 0;
    wrong += e.whole[0] != 0 || none[0] || none[1] || none[2] != &file_scope;
    wrong += 1 / signs[0] > 0 || some[0] != 0 || some[1] != 1 || some[2] != 1;
  }
  CHECK(wrong == 0);
}

int main(void) {
  double matrix[4][4] = {{0}};
  shared_variables();
  own_copies();
  by_default(4, matrix);
  reductions(100);
  last(100);
  CHECK(places(5) >= 4);
  zeroed();
  return 0;
}

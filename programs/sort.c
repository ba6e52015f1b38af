/* Merge sort with parallel merges, after Cilk's cilksort: four quarters are sorted by tasks, merged in pairs by
   tasks, and each merge is split again at the median of its longer run. Below the cut-offs: quicksort, insertion sort
   and a plain merge. */
#include "common.h"

typedef uint32_t Element;

static long sort_cutoff = 4096;  /* runs this short: quicksort in one piece */
static long merge_cutoff = 4096; /* merges this short: in one piece */
static long insertion = 32;      /* runs this short: insertion sort */

static void insertion_sort(Element *a, long n) {
  for (long i = 1; i < n; i++) {
    Element value = a[i];
    long k = i;
    for (; k > 0 && a[k - 1] > value; k--) a[k] = a[k - 1];
    a[k] = value;
  }
}

static Element median_of_three(Element a, Element b, Element c) {
  if (a > b) { Element t = a; a = b; b = t; }
  if (b > c) b = c;
  return a > b ? a : b;
}

static void quick_sort(Element *a, long n) {
  while (n > insertion) {
    Element pivot = median_of_three(a[0], a[n / 2], a[n - 1]);
    long low = 0, high = n - 1;
    while (low <= high) {
      while (a[low] < pivot) low++;
      while (a[high] > pivot) high--;
      if (low <= high) {
        Element t = a[low];
        a[low++] = a[high];
        a[high--] = t;
      }
    }
    /* Recursion into the shorter side keeps the stack logarithmic. */
    if (high + 1 < n - low) {
      quick_sort(a, high + 1);
      a += low;
      n -= low;
    } else {
      quick_sort(a + low, n - low);
      n = high + 1;
    }
  }
  insertion_sort(a, n);
}

static void merge_sequential(const Element *a, long na, const Element *b, long nb, Element *out) {
  long i = 0, k = 0;
  while (i < na && k < nb) *out++ = a[i] <= b[k] ? a[i++] : b[k++];
  memcpy(out, a + i, (size_t)(na - i) * sizeof *a);
  memcpy(out + (na - i), b + k, (size_t)(nb - k) * sizeof *b);
}

/* First position in a[0..n) whose element is not below `value`. */
static long lower_bound(const Element *a, long n, Element value) {
  long low = 0;
  while (n > 0) {
    long half = n / 2;
    if (a[low + half] < value) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

static void merge(const Element *a, long na, const Element *b, long nb, Element *out) {
  if (na < nb) {
    const Element *t = a;
    long nt = na;
    a = b, na = nb;
    b = t, nb = nt;
  }
  if (na + nb <= merge_cutoff || na < 2) {
    merge_sequential(a, na, b, nb, out);
    return;
  }
  long half = na / 2, split = lower_bound(b, nb, a[half]);
  count_tasks(2);
#pragma omp task UNTIED
  merge(a, half, b, split, out);
#pragma omp task UNTIED
  merge(a + half, na - half, b + split, nb - split, out + half + split);
#pragma omp taskwait
}

static void merge_sort(Element *a, Element *spare, long n) {
  if (n <= sort_cutoff || n < 4) {
    quick_sort(a, n);
    return;
  }
  long quarter = n / 4, half = 2 * quarter, rest = n - 3 * quarter;
  count_tasks(4);
#pragma omp task UNTIED
  merge_sort(a, spare, quarter);
#pragma omp task UNTIED
  merge_sort(a + quarter, spare + quarter, quarter);
#pragma omp task UNTIED
  merge_sort(a + half, spare + half, quarter);
#pragma omp task UNTIED
  merge_sort(a + half + quarter, spare + half + quarter, rest);
#pragma omp taskwait
  count_tasks(2);
#pragma omp task UNTIED
  merge(a, quarter, a + quarter, quarter, spare);
#pragma omp task UNTIED
  merge(a + half, quarter, a + half + quarter, rest, spare + half);
#pragma omp taskwait
  merge(spare, half, spare + half, n - half, a);
}

/* Order-independent fingerprint of the elements: if it differs afterwards, an element was lost or doubled. */
static uint64_t fingerprint(const Element *a, long n) {
  uint64_t sum = 0;
  for (long i = 0; i < n; i++) sum += random_seed(a[i]);
  return sum;
}

int main(int argc, char **argv) {
  long n = 4000000, seed = 1, no_cutoff = 0;
  const Option options[] = {
      {"--size", kLong, "N", &n, 0, 1e10, "elements to sort"},
      {"--cutoff", kLong, "N", &sort_cutoff, 1, 1e10, "runs up to N elements: quicksort, no tasks"},
      {"--merge-cutoff", kLong, "N", &merge_cutoff, 1, 1e10, "merges up to N elements: in one piece"},
      {"--insertion", kLong, "N", &insertion, 1, 1e6, "runs up to N elements: insertion sort"},
      {"--no-cutoff", kSwitch, "", &no_cutoff, 1, 0, "tasks down to runs and merges of four elements"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the input"},
  };
  parse_options(argc, argv, "sort", "Sorts random numbers by parallel merge sort, tasks for sorts and merges.", options,
                OPTION_COUNT(options));
  if (no_cutoff) sort_cutoff = merge_cutoff = 4;

  Element *data = allocate((size_t)(n + 1) * sizeof *data);
  Element *spare = allocate((size_t)(n + 1) * sizeof *spare);
  uint64_t state = random_seed((uint64_t)seed);
  for (long i = 0; i < n; i++) data[i] = (Element)(random_next(&state) >> 32);
  uint64_t before = fingerprint(data, n);

  double start = begin_timed_part();
#pragma omp parallel
  {
#pragma omp single
    merge_sort(data, spare, n);
    flush_task_count();
  }
  double seconds = end_timed_part(start);

  int ok = fingerprint(data, n) == before;
  for (long i = 1; i < n; i++) ok &= data[i - 1] <= data[i];
  char size[32], text[32];
  snprintf(size, sizeof size, "%ld", n);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)before);
  free(data);
  free(spare);
  return finish("sort", size, text, tasks_made, seconds, ok);
}

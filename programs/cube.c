/* The data cube: for each of the 2^N subsets of N attributes, the sums and counts of a measure by those attributes
   ("group by"). The views form a lattice; each is computed from one with one more attribute, so that one view's
   tasks wait for another's, and sizes differ by orders of magnitude. The NAS benchmark DC computes the same views,
   on files.
     task    a tree: when a view is done, it creates tasks for those that are computed from it
     depend  all tasks at once, each `in` its parent and `out` its own
     loop    one loop for all views with the same number of attributes, dynamic, the largest first */
#include "common.h"

enum { kTask, kDepend, kLoop };
enum { kMaxAttributes = 14 };

typedef struct {
  uint64_t key; /* the attributes of the view, packed; the others 0 */
  int64_t sum, count;
} Entry;

typedef struct {
  Entry *entry; /* in the order of their keys */
  long count;
  unsigned parent; /* the view this one is computed from; its own number for that of all attributes */
} View;

static long tuples = 100000, attributes = 8, version = kTask, cutoff = 0;
static int bits[kMaxAttributes], shift[kMaxAttributes];
static long values[kMaxAttributes]; /* how many values an attribute has */
static Entry *base;                 /* the tuples: a key, a measure and 1 each */
static View *views;                 /* number v has attribute a if bit a of v is set */

static uint64_t mask_of(unsigned view) {
  uint64_t mask = 0;
  for (int a = 0; a < attributes; a++)
    if (view >> a & 1) mask |= ((1ULL << bits[a]) - 1) << shift[a];
  return mask;
}

/* Sorts by radix, one byte of the key at a time where `mask` has bits. `spare` has room for as many; returns where the
   result is. */
static Entry *sort_entries(Entry *entry, Entry *spare, long n, uint64_t mask) {
  for (int byte = 0; byte < 64; byte += 8) {
    if (!(mask >> byte & 255)) continue;
    long place[256] = {0}, at = 0;
    for (long i = 0; i < n; i++) place[entry[i].key >> byte & 255]++;
    for (int b = 0; b < 256; b++) {
      long here = place[b];
      place[b] = at;
      at += here;
    }
    for (long i = 0; i < n; i++) spare[place[entry[i].key >> byte & 255]++] = entry[i];
    Entry *swap = entry;
    entry = spare;
    spare = swap;
  }
  return entry;
}

/* Groups n entries by the attributes of `mask`. */
static void group(View *view, const Entry *from, long n, uint64_t mask) {
  Entry *entry = allocate((size_t)n * sizeof *entry), *spare = allocate((size_t)n * sizeof *spare);
  for (long i = 0; i < n; i++) {
    entry[i] = from[i];
    entry[i].key &= mask;
  }
  Entry *sorted = sort_entries(entry, spare, n, mask);
  long last = 0;
  for (long i = 1; i < n; i++) {
    if (sorted[i].key == sorted[last].key) {
      sorted[last].sum += sorted[i].sum;
      sorted[last].count += sorted[i].count;
    } else {
      sorted[++last] = sorted[i];
    }
  }
  view->count = last + 1;
  view->entry = allocate((size_t)view->count * sizeof *entry);
  memcpy(view->entry, sorted, (size_t)view->count * sizeof *entry);
  free(entry);
  free(spare);
}

static void compute(unsigned v) {
  View *view = &views[v], *parent = &views[view->parent];
  if (parent == view)
    group(view, base, tuples, mask_of(v));
  else
    group(view, parent->entry, parent->count, mask_of(v));
}

/* The most entries a view can have. */
static long most_entries(unsigned v) {
  long most = 1;
  for (int a = 0; a < attributes; a++)
    if (v >> a & 1) most = most * values[a] < tuples ? most * values[a] : tuples;
  return most;
}

/* The parent with the fewest entries, by estimate. */
static void choose_parents(unsigned all) {
  for (unsigned v = 0; v <= all; v++) {
    long fewest = 0;
    views[v].parent = v;
    for (int a = 0; a < attributes; a++) {
      unsigned parent = v | 1u << a;
      if (v >> a & 1 || (fewest && most_entries(parent) >= fewest)) continue;
      views[v].parent = parent;
      fewest = most_entries(parent);
    }
  }
}

/* Computes a view and all that derive from it. With `cutoff` attributes or fewer it creates no more tasks. */
static void compute_tree(unsigned v) {
  compute(v);
  for (int a = 0; a < attributes; a++) {
    unsigned child = v & ~(1u << a);
    if (child == v || views[child].parent != v) continue;
    if (__builtin_popcount(child) < cutoff) {
      compute_tree(child);
      continue;
    }
    count_tasks(1);
#pragma omp task UNTIED firstprivate(child)
    compute_tree(child);
  }
}

/* From more attributes to fewer, so that a parent comes before its children. */
static void compute_depend(const unsigned *order, unsigned all) {
  for (unsigned i = 0; i <= all; i++) {
    unsigned v = order[i];
    View *own = &views[v], *parent = &views[views[v].parent];
    (void)own, (void)parent; /* clang 19 does not see that a depend clause uses them */
    count_tasks(1);
    if (own == parent) {
#pragma omp task firstprivate(v) depend(out : own[0])
      compute(v);
    } else {
#pragma omp task firstprivate(v) depend(in : parent[0]) depend(out : own[0])
      compute(v);
    }
  }
}

static void compute_loops(const unsigned *order, unsigned all) {
#pragma omp parallel
  for (unsigned begin = 0, end; begin <= all; begin = end) {
    for (end = begin; end <= all && __builtin_popcount(order[end]) == __builtin_popcount(order[begin]);) end++;
#pragma omp for schedule(dynamic, 1)
    for (unsigned i = begin; i < end; i++) compute(order[i]);
  }
}

static int more_attributes_first(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  int by_attributes = __builtin_popcount(y) - __builtin_popcount(x);
  if (by_attributes) return by_attributes;
  long more = most_entries(views[y].parent) - most_entries(views[x].parent);
  return more ? (more > 0 ? 1 : -1) : (x > y) - (x < y);
}

static uint64_t mixed(uint64_t key) { return random_seed(key); }

/* Each view has every key once, in order, and all its sums and counts are those of the tuples: by a sum over the keys'
   hashes, which needs no particular order and no table. */
static int is_right(unsigned all) {
  for (unsigned v = 0; v <= all; v++) {
    uint64_t mask = mask_of(v), sum = 0, count = 0;
    for (long i = 0; i < tuples; i++) {
      uint64_t hash = mixed(base[i].key & mask);
      sum += hash * (uint64_t)base[i].sum;
      count += hash;
    }
    for (long i = 0; i < views[v].count; i++) {
      const Entry *e = &views[v].entry[i];
      if (i > 0 && e[-1].key >= e->key) return 0;
      sum -= mixed(e->key) * (uint64_t)e->sum;
      count -= mixed(e->key) * (uint64_t)e->count;
    }
    if (sum || count) return 0;
  }
  return 1;
}

/* Attributes with 2 to 128 values, of which the small ones are more frequent. */
static void draw_tuples(uint64_t seed) {
  uint64_t state = random_seed(seed);
  int used = 0;
  for (int a = 0; a < attributes; a++) {
    bits[a] = 1 + (int)(random_next(&state) % 7);
    if (used + bits[a] + (int)(attributes - 1 - a) > 63) bits[a] = 1; /* the others need a bit each */
    values[a] = 1L << bits[a];
    shift[a] = used;
    used += bits[a];
  }
  base = allocate((size_t)tuples * sizeof *base);
  for (long i = 0; i < tuples; i++) {
    base[i] = (Entry){0, (int64_t)(random_next(&state) >> 48), 1};
    for (int a = 0; a < attributes; a++) {
      double r = random_unit(&state);
      base[i].key |= (uint64_t)((double)values[a] * r * r) << shift[a];
    }
  }
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &attributes, 1, kMaxAttributes, "attributes: 2^N views"},
      {"--tuples", kLong, "N", &tuples, 1, 1e9, "tuples"},
      {"--version", kChoice, "task|depend|loop", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, kMaxAttributes, "task: none for views of fewer than N attributes"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "a task for every view"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the tuples"},
  };
  parse_options(argc, argv, "cube", "The data cube: all group-bys of a table, each from a larger one.", options,
                OPTION_COUNT(options));
  draw_tuples((uint64_t)seed);
  unsigned all = (1u << attributes) - 1, *order = allocate(((size_t)all + 1) * sizeof *order);
  views = allocate(((size_t)all + 1) * sizeof *views);
  choose_parents(all);
  for (unsigned v = 0; v <= all; v++) order[v] = v;
  qsort(order, (size_t)all + 1, sizeof *order, more_attributes_first);

  double start = begin_timed_part();
  if (version == kLoop) {
    compute_loops(order, all);
  } else {
#pragma omp parallel
    {
#pragma omp single
      {
        if (version == kDepend) compute_depend(order, all);
        else compute_tree(all);
      }
      flush_task_count(); /* after the barrier of the single: all tasks are done */
    }
  }
  double seconds = end_timed_part(start);

  long entries = 0;
  for (unsigned v = 0; v <= all; v++) entries += views[v].count;
  int ok = is_right(all);
  if (version == kDepend) ok &= tasks_made == (long)all + 1;
  if (version == kTask && cutoff == 0) ok &= tasks_made == (long)all;
  char size_text[48], text[32];
  snprintf(size_text, sizeof size_text, "%ldx%ld", attributes, tuples);
  snprintf(text, sizeof text, "%ld", entries);
  return finish("cube", size_text, text, version == kLoop ? -1 : tasks_made, seconds, ok);
}

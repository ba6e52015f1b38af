/* Breadth-first search, level by level, of a graph in memory: each level is parallel over the frontier, whose size goes
   from one vertex to most of the graph and back within a few levels. The graphs are Graph500's (Kronecker: a few
   vertices with very many neighbours) or random ones. As work-sharing loops, or as tasks; or with codelet the whole search
   is one region, whose instances give way where a level ends (a library without codelets has a loop for each level). */
#include <einkorn/codelet.h>

#include "common.h"

enum { kKronecker, kUniform, kMesh };
enum { kTasks, kTaskloop, kLoop, kStatic, kCodelet };
enum { kBuffer = 256 };

static long scale = 17, degree = 16, graph = kKronecker, version = kTasks, chunk = 64, cutoff = 64;
static long vertices;
static long *first;       /* vertex v has the neighbours neighbour[first[v]] to neighbour[first[v + 1] - 1] */
static uint32_t *neighbour;
static int32_t *level;    /* of each vertex; -1: not reached */
static uint32_t *frontier, *found; /* the vertices of this level, and those of the next */
static long found_count;

/* Graph500's: the quadrant of the matrix that an edge falls into has probability .57, .19, .19, .05 on each scale. The
   numbers of the vertices are scrambled; otherwise the large ones would come first. */
static uint32_t scrambled(uint32_t v) {
  uint32_t mask = (uint32_t)vertices - 1;
  for (int round = 0; round < 2; round++) {
    v = (v * 0x9E3779B1u + 0x7F4A7C15u) & mask;
    v ^= v >> ((scale + 1) / 2);
  }
  return v;
}

/* Edge number e. The mesh has no border: each vertex has an edge to the right and one down. */
static void draw_edge(uint64_t *state, long e, uint32_t *from, uint32_t *to) {
  uint32_t a = 0, b = 0;
  if (graph == kMesh) {
    uint32_t across = 1u << scale / 2, mask = (uint32_t)vertices - 1;
    a = (uint32_t)(e / 2);
    b = e % 2 ? (a + across) & mask : (a & ~(across - 1)) | ((a + 1) & (across - 1));
  } else if (graph == kUniform) {
    a = (uint32_t)(random_next(state) >> (64 - scale));
    b = (uint32_t)(random_next(state) >> (64 - scale));
  } else {
    for (long bit = 0; bit < scale; bit++) {
      double r = random_unit(state);
      a = 2 * a + (r >= 0.76);
      b = 2 * b + ((r >= 0.57 && r < 0.76) || r >= 0.95);
    }
    a = scrambled(a);
    b = scrambled(b);
  }
  *from = a;
  *to = b;
}

/* Both directions of each edge, neighbours in the order of drawing. The edges are drawn twice: to count, and to
   store. */
static void make_graph(uint64_t seed) {
  vertices = 1L << scale;
  long edges = vertices * (graph == kMesh ? 2 : degree);
  first = allocate((size_t)(vertices + 1) * sizeof *first);
  neighbour = allocate((size_t)(2 * edges) * sizeof *neighbour);
  memset(first, 0, (size_t)(vertices + 1) * sizeof *first);
  uint32_t a, b;
  uint64_t state = random_seed(seed);
  for (long e = 0; e < edges; e++) {
    draw_edge(&state, e, &a, &b);
    first[a + 1]++;
    first[b + 1]++;
  }
  for (long v = 0; v < vertices; v++) first[v + 1] += first[v];
  long *next = allocate((size_t)vertices * sizeof *next);
  memcpy(next, first, (size_t)vertices * sizeof *next);
  state = random_seed(seed);
  for (long e = 0; e < edges; e++) {
    draw_edge(&state, e, &a, &b);
    neighbour[next[a]++] = b;
    neighbour[next[b]++] = a;
  }
  free(next);
}

/* The vertices found by one piece of work, handed over one buffer at a time. */
typedef struct {
  long count;
  uint32_t vertex[kBuffer];
} Buffer;

static void hand_over(Buffer *buffer) {
  long at = __atomic_fetch_add(&found_count, buffer->count, __ATOMIC_RELAXED);
  memcpy(found + at, buffer->vertex, (size_t)buffer->count * sizeof *found);
  buffer->count = 0;
}

static inline void visit(uint32_t v, int32_t depth, Buffer *buffer) {
  for (long e = first[v]; e < first[v + 1]; e++) {
    uint32_t w = neighbour[e];
    int32_t nobody = -1;
    if (__atomic_load_n(&level[w], __ATOMIC_RELAXED) != -1) continue;
    if (!__atomic_compare_exchange_n(&level[w], &nobody, depth, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    buffer->vertex[buffer->count++] = w;
    if (buffer->count == kBuffer) hand_over(buffer);
  }
}

static void visit_range(long begin, long end, int32_t depth) {
  Buffer buffer;
  buffer.count = 0;
  for (long i = begin; i < end; i++) visit(frontier[i], depth, &buffer);
  if (buffer.count) hand_over(&buffer);
}

/* One level, by one thread of a team: a task for each `chunk` vertices of the frontier. */
static void level_with_tasks(long count, int32_t depth) {
  for (long begin = 0; begin < count; begin += chunk) {
    long end = begin + chunk < count ? begin + chunk : count;
    count_tasks(1);
#pragma omp task firstprivate(begin, end, depth)
    visit_range(begin, end, depth);
  }
#pragma omp taskwait
}

static void level_with_taskloop(long count, int32_t depth) {
  unsigned long pieces = (unsigned long)((count + chunk - 1) / chunk); /* clang 19 warns about signed ones in a taskloop */
  count_tasks((long)pieces);
#pragma omp taskloop grainsize(1)
  for (unsigned long p = 0; p < pieces; p++) {
    long begin = (long)p * chunk;
    visit_range(begin, begin + chunk < count ? begin + chunk : count, depth);
  }
}

static void level_with_loop(long count, int32_t depth) {
#pragma omp parallel
  {
    Buffer buffer;
    buffer.count = 0;
#pragma omp for schedule(dynamic, chunk) nowait
    for (long i = 0; i < count; i++) visit(frontier[i], depth, &buffer);
    if (buffer.count) hand_over(&buffer);
  }
}

static void level_with_static_loop(long count, int32_t depth) {
#pragma omp parallel
  {
    Buffer buffer;
    buffer.count = 0;
#pragma omp for schedule(static) nowait
    for (long i = 0; i < count; i++) visit(frontier[i], depth, &buffer);
    if (buffer.count) hand_over(&buffer);
  }
}

/* The instances of a whole search. They share the frame; each writes what is its own, or while it is the only one. */
struct levels {
  long count;
  int32_t depth;
};

static long next_level(void) {
  uint32_t *swap = frontier;
  frontier = found;
  found = swap;
  long count = found_count;
  found_count = 0;
  return count;
}

static ek_next run_levels(ek_self *me) {
  struct levels *all = *(struct levels **)me->frame;
  switch (me->at) { case 1: goto level_found; case 2: goto next; }
  while (all->count) {
    int64_t from, to;
    if (ek_static(me, 0, all->count, &from, &to)) visit_range(from, to, all->depth + 1);
    EK_YIELD(me, 1, EK_SYNC);
  level_found:
    if (me->id == 0) {
      all->count = next_level();
      all->depth++;
    }
    EK_YIELD(me, 2, EK_SYNC);
  next:;
  }
  return EK_END;
}
static const ek_proc levels_procedure = {.name = "search", .file = __FILE__, .run = run_levels,
                                         .frame_bytes = sizeof(struct levels *), .flags = EK_FREE};

static int32_t search_as_codelets(uint32_t root) {
  struct levels all = {1, 0}, *frame = &all;
  frontier[0] = root;
  level[root] = 0;
  found_count = 0;
  ek_run(&levels_procedure, &frame, 0);
  return all.depth;
}

static int has_loops(void) { return version >= kLoop; }

/* Returns the number of levels. */
static int32_t search(uint32_t root) {
  long count = 1;
  int32_t depth = 0;
  frontier[0] = root;
  level[root] = 0;
  found_count = 0;
  while (count) {
    depth++;
    if (count <= cutoff)
      visit_range(0, count, depth);
    else if (version == kLoop)
      level_with_loop(count, depth);
    else if (has_loops())
      level_with_static_loop(count, depth);
    else if (version == kTaskloop)
      level_with_taskloop(count, depth);
    else
      level_with_tasks(count, depth);
    count = next_level();
  }
  return depth;
}

/* Every vertex but the root has a neighbour one level above, and no edge leads further down than one level. */
static int levels_right(uint32_t root) {
  for (long v = 0; v < vertices; v++) {
    int parent = level[v] == -1 || (uint32_t)v == root;
    for (long e = first[v]; e < first[v + 1]; e++) {
      int32_t other = level[neighbour[e]];
      if ((other == -1) != (level[v] == -1) || other - level[v] > 1) return 0;
      parent |= other == level[v] - 1;
    }
    if (!parent) return 0;
  }
  return level[root] == 0;
}

int main(int argc, char **argv) {
  long seed = 1, roots = 4;
  const Option options[] = {
      {"--size", kLong, "N", &scale, 1, 28, "2^N vertices"},
      {"--degree", kLong, "N", &degree, 1, 64, "edges per vertex, except in a mesh"},
      {"--graph", kChoice, "kronecker|random|mesh", &graph, 0, 0, ""},
      {"--version", kChoice, "task|taskloop|loop|static|codelet", &version, 0, 0, ""},
      {"--chunk", kLong, "N", &chunk, 1, 1e9, "vertices of the frontier per task or chunk"},
      {"--roots", kLong, "N", &roots, 1, 1000, "searches, each from another vertex"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "frontiers of N vertices or fewer: nothing parallel (not with codelet)"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the graph"},
  };
  parse_options(argc, argv, "bfs", "Breadth-first search of a large graph, parallel within each level.", options,
                OPTION_COUNT(options));
  make_graph((uint64_t)seed);
  level = allocate((size_t)vertices * sizeof *level);
  frontier = allocate((size_t)vertices * sizeof *frontier);
  found = allocate((size_t)vertices * sizeof *found);

  uint64_t state = random_seed((uint64_t)seed + 1);
  double seconds = 0;
  long reached = 0, levels = 0;
  int ok = 1;
  for (long r = 0; r < roots; r++) {
    uint32_t root;
    do root = (uint32_t)(random_next(&state) >> 20) & (uint32_t)(vertices - 1);
    while (first[root] == first[root + 1]);
    memset(level, -1, (size_t)vertices * sizeof *level);
    double start = begin_timed_part();
    if (version == kCodelet && ek_on()) {
      levels += search_as_codelets(root);
    } else if (has_loops()) {
      levels += search(root);
    } else {
#pragma omp parallel
      {
#pragma omp single
        levels += search(root);
        flush_task_count();
      }
    }
    seconds += end_timed_part(start);
    ok &= levels_right(root);
    for (long v = 0; v < vertices; v++) reached += level[v] != -1;
  }
  char size_text[32], text[64];
  snprintf(size_text, sizeof size_text, "%ldx%ld", scale, roots);
  snprintf(text, sizeof text, "%ld/%ld", reached, levels);
  return finish("bfs", size_text, text, has_loops() ? -1 : tasks_made, seconds, ok);
}

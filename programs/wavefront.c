/* The longest common subsequence of a long string and others, one after the other: a table in which each cell needs the
   one above, the one to the left and the one between. It is filled tile by tile, and a wave of tiles goes from corner to
   corner. With depend a task for each tile; with loop the tiles of a diagonal are a work-sharing loop; with codelet the
   tiles are a graph, made once and run for each string (a library without codelets: the tasks of depend). */
#include <einkorn/codelet.h>

#include "common.h"

enum { kDepend, kLoop, kCodelet };

static long tiles = 32, width = 64, strings = 10, version = kDepend, cutoff = 0;
static char *across, *down;            /* the other strings' turn, and the long one: letters */
static uint32_t *below, *right, *corner; /* the last row and column of each tile; of its last cell, for the next diagonal */

static long smaller(long a, long b) { return a < b ? a : b; }

/* Tile (i, j): of the row of cells above it, in below, and of the column before it, in right, it makes its own last ones. */
static void fill_tile(long i, long j) {
  uint32_t *row = below + j * width, *column = right + i * width;
  uint32_t before = i && j ? corner[(i - 1) * tiles + j - 1] : 0; /* the cell between row[0] and column[0] */
  for (long r = 0; r < width; r++) {
    uint32_t diagonal = before, left = column[r];
    before = left;
    char letter = down[i * width + r];
    for (long c = 0; c < width; c++) {
      uint32_t above = row[c], most = left > above ? left : above;
      left = letter == across[j * width + c] ? diagonal + 1 : most;
      diagonal = above;
      row[c] = left;
    }
    column[r] = left;
  }
  corner[i * tiles + j] = row[width - 1];
}

static void run_sequential(void) {
  for (long i = 0; i < tiles; i++)
    for (long j = 0; j < tiles; j++) fill_tile(i, j);
}

/* A byte for each tile; a frame of bytes that nobody writes is above and to the left. */
static void run_depend(char *bytes) {
  long line = tiles + 1;
  for (long i = 0; i < tiles; i++)
    for (long j = 0; j < tiles; j++) {
      char *own = bytes + (i + 1) * line + j + 1;
      (void)own; /* clang 19 does not see that a depend clause uses it */
      count_tasks(1);
#pragma omp task firstprivate(i, j) depend(in : own[-1], own[-line]) depend(out : own[0])
      fill_tile(i, j);
    }
#pragma omp taskwait
}

static void run_loops(void) {
#pragma omp parallel
  for (long d = 0; d < 2 * tiles - 1; d++) {
    long first = d < tiles ? 0 : d - tiles + 1, last = smaller(d, tiles - 1);
#pragma omp for schedule(dynamic, 1)
    for (long i = first; i <= last; i++) fill_tile(i, d - i);
  }
}

static void fire_tile(void *nothing, uint32_t n) {
  (void)nothing;
  fill_tile((long)n / tiles, (long)n % tiles);
}
static int next_tiles(void *nothing, uint32_t n, uint32_t *out) {
  int count = 0;
  (void)nothing;
  if ((long)n / tiles + 1 < tiles) out[count++] = n + (uint32_t)tiles;
  if ((long)n % tiles + 1 < tiles) out[count++] = n + 1;
  return count;
}
static ek_graph *make_codelets(void) {
  ek_graph *g = ek_graph_new("wavefront");
  int tile = ek_graph_class(g, fire_tile, NULL, (uint32_t)(tiles * tiles), __LINE__);
  ek_graph_rule(g, tile, tile, next_tiles);
  if (ek_graph_close(g) != 0) exit(2);
  return g;
}

static void draw(char *string, uint64_t seed) {
  uint64_t state = random_seed(seed);
  for (long k = 0; k < tiles * width; k++) string[k] = "ACGT"[random_next(&state) >> 62];
}

static void start(long string) {
  draw(across, (uint64_t)string + 2);
  memset(below, 0, (size_t)(tiles * width) * sizeof *below);
  memset(right, 0, (size_t)(tiles * width) * sizeof *right);
}

/* Cell by cell, two rows at a time: nothing of the tiles. */
static uint32_t length_of_subsequence(void) {
  long n = tiles * width;
  uint32_t *rows = allocate((size_t)(2 * (n + 1)) * sizeof *rows);
  memset(rows, 0, (size_t)(2 * (n + 1)) * sizeof *rows);
  for (long r = 0; r < n; r++) {
    uint32_t *from = rows + (r & 1 ? n + 1 : 0), *to = rows + (r & 1 ? 0 : n + 1);
    for (long c = 0; c < n; c++)
      to[c + 1] = down[r] == across[c] ? from[c] + 1 : from[c + 1] > to[c] ? from[c + 1] : to[c];
  }
  uint32_t length = rows[n & 1 ? 2 * n + 1 : n];
  free(rows);
  return length;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &tiles, 1, 10000, "tiles per side"},
      {"--block", kLong, "N", &width, 1, 10000, "letters per side of a tile"},
      {"--strings", kLong, "N", &strings, 1, 1e6, "strings that are compared with the first"},
      {"--version", kChoice, "depend|loop|codelet", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 10000, "N tiles per side or fewer: nothing parallel"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "wavefront", "Longest common subsequences, tile by tile.", options, OPTION_COUNT(options));
  size_t letters = (size_t)(tiles * width);
  across = allocate(letters);
  down = allocate(letters);
  below = allocate(letters * sizeof *below);
  right = allocate(letters * sizeof *right);
  corner = allocate((size_t)(tiles * tiles) * sizeof *corner);
  char *bytes = allocate((size_t)((tiles + 1) * (tiles + 1)));
  draw(down, 1);
  int sequential = tiles <= cutoff;
  ek_graph *graph = !sequential && version == kCodelet && ek_on() ? make_codelets() : NULL;

  uint64_t sum = 0;
  double seconds = 0;
  int ok = 1;
  for (long s = 0; s < strings; s++) {
    start(s);
    double began = begin_timed_part();
    if (sequential) {
      run_sequential();
    } else if (graph) {
      ek_graph_run(graph);
    } else if (version == kLoop) {
      run_loops();
    } else {
#pragma omp parallel
      {
#pragma omp single
        run_depend(bytes);
        flush_task_count();
      }
    }
    seconds += end_timed_part(began);
    uint32_t length = corner[tiles * tiles - 1];
    sum = sum * 31 + length;
    if (s < 3) ok &= length == length_of_subsequence(); /* which takes longer than all tiles do */
  }
  int tasks = !sequential && !graph && version != kLoop;
  if (tasks) ok &= tasks_made == tiles * tiles * strings;
  ek_graph_free(graph);

  char size_text[64], text[32];
  snprintf(size_text, sizeof size_text, "%ldx%ldx%ld", tiles, width, strings);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)sum);
  return finish("wavefront", size_text, text, version == kDepend || tasks ? tasks_made : -1, seconds, ok);
}

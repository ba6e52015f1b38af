/* Dissipation elements: from every point of a scalar field two paths lead, up the gradient to a maximum and down to a
   minimum; points whose paths end in the same pair are an element. Paths differ in length, and nobody knows beforehand
   by how much. The cube of points is halved, a task for each half, down to --cutoff points; by default down to single ones.
   --version loop: a loop over slices, of which those in the flat part of the field take longest. */
#include <math.h>
#include <omp.h>

#include "common.h"

enum { kTask, kLoop };

static long side = 32, version = kTask, cutoff = 1;
static float *field;
static uint32_t **crossed;      /* of each thread: paths through each point; all end in a few of them */
static uint32_t *top, *bottom;  /* of each point: the extremes that its paths end in */
static uint32_t *lengths;       /* of both its paths, in points */

static inline long at(long x, long y, long z) { return (x * side + y) * side + z; }

/* A few waves; one half of the cube is nearly flat, so that its paths are long. */
static void fill(void) {
  for (long x = 0; x < side; x++)
    for (long y = 0; y < side; y++)
      for (long z = 0; z < side; z++) {
        double u = (double)x / (double)side, v = (double)y / (double)side, w = (double)z / (double)side;
        double wave = x < side / 2 ? sin(3 * u) + cos(2 * v) + sin(2 * w) : sin(40 * u) + cos(37 * v) + sin(43 * w);
        field[at(x, y, z)] = (float)(wave + 1e-3 * sin(1000 * (u + 2 * v + 3 * w)));
      }
}

/* The steepest of the 26 neighbours; the point itself where none is higher (or, with sign -1, lower). */
static long next(long x, long y, long z, float sign) {
  long best = at(x, y, z);
  float most = sign * field[best];
  for (long i = x > 0 ? x - 1 : 0; i <= x + 1 && i < side; i++)
    for (long j = y > 0 ? y - 1 : 0; j <= y + 1 && j < side; j++)
      for (long k = z > 0 ? z - 1 : 0; k <= z + 1 && k < side; k++)
        if (sign * field[at(i, j, k)] > most) best = at(i, j, k), most = sign * field[best];
  return best;
}

/* Where the path ends; its points are told to `through`, if that is given, and counted. */
static uint32_t follow(long point, float sign, uint32_t *through, uint32_t *length) {
  for (;;) {
    if (through) through[point]++;
    ++*length;
    long to = next(point / (side * side), point / side % side, point % side, sign);
    if (to == point) return (uint32_t)point;
    point = to;
  }
}

static void trace(long point) {
  uint32_t length = 0, *mine = crossed[omp_get_thread_num()];
  top[point] = follow(point, 1, mine, &length);
  bottom[point] = follow(point, -1, mine, &length);
  lengths[point] = length;
}

static void trace_all(long from, long to) {
  if (to - from <= cutoff) {
    for (long p = from; p < to; p++) trace(p);
    return;
  }
  long middle = from + (to - from) / 2;
  count_tasks(2);
#pragma omp task
  trace_all(from, middle);
#pragma omp task
  trace_all(middle, to);
#pragma omp taskwait
}

static void run(void) {
  long points = side * side * side;
  if (version == kTask) {
#pragma omp parallel
    {
#pragma omp single
      trace_all(0, points);
      flush_task_count();
    }
  } else {
#pragma omp parallel for schedule(runtime)
    for (long x = 0; x < side; x++)
      for (long p = x * side * side; p < (x + 1) * side * side; p++) trace(p);
  }
}

/* Of some points the ends of their paths, followed again; and each point was crossed as often as paths are long. */
static int paths_right(long points) {
  uint64_t crossings = 0, length = 0;
  for (long p = 0; p < points; p++) length += lengths[p];
  for (int t = 0; t < omp_get_max_threads(); t++)
    for (long p = 0; p < points; p++) crossings += crossed[t][p];
  int ok = crossings == length;
  for (long p = 0; p < points; p += 37) {
    uint32_t again = 0;
    ok &= follow(p, 1, NULL, &again) == top[p] && follow(p, -1, NULL, &again) == bottom[p] && again == lengths[p];
  }
  return ok;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &side, 4, 1000, "points along an edge of the cube"},
      {"--version", kChoice, "task|loop", &version, 0, 0, "a task for each half of the points, or a loop over slices"},
      {"--cutoff", kLong, "N", &cutoff, 1, 1e9, "N points or fewer: no more tasks"},
      {"--no-cutoff", kSwitch, "", &cutoff, 1, 1, "tasks down to single points"},
  };
  parse_options(argc, argv, "trajectory", "Paths along the gradient of a field, from each of its points.", options,
                OPTION_COUNT(options));
  long points = side * side * side;
  field = allocate((size_t)points * sizeof *field);
  crossed = allocate((size_t)omp_get_max_threads() * sizeof *crossed);
  for (int t = 0; t < omp_get_max_threads(); t++) {
    crossed[t] = allocate((size_t)points * sizeof **crossed);
    memset(crossed[t], 0, (size_t)points * sizeof **crossed);
  }
  top = allocate((size_t)points * sizeof *top);
  bottom = allocate((size_t)points * sizeof *bottom);
  lengths = allocate((size_t)points * sizeof *lengths);
  fill();

  double start = begin_timed_part();
  run();
  double seconds = end_timed_part(start);

  int ok = paths_right(points);
  long elements = 0;
  for (long p = 0; p < points; p++) elements += top[p] == (uint32_t)p || bottom[p] == (uint32_t)p;

  char size_text[32], text[32];
  snprintf(size_text, sizeof size_text, "%ld", side);
  snprintf(text, sizeof text, "%ld", elements);
  return finish("trajectory", size_text, text, version == kTask ? tasks_made : -1, seconds, ok);
}

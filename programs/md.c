/* Molecular dynamics of a Lennard-Jones fluid with cell lists, as small codes of the kind have it: each step is a few
   parallel loops of some 100 us, over atoms and over cells, with a short serial part between them (sorting the atoms
   into their cells). Velocity Verlet in reduced units, a periodic cube, forces cut off at 2.5; every atom adds up the
   forces on itself, in the order of the cells, so that the result depends on no schedule. */
#include <math.h>

#include "common.h"

enum { kStatic, kDynamic, kGuided };

typedef struct {
  double x, y, z;
} Vector;

static const double kReach = 2.5, kDensity = 0.3, kTimeStep = 0.002;
static long side = 5, steps = 200, schedule = kStatic, chunk = 4, cutoff = 0;
static long atoms, grid; /* cells along an edge */
static double edge;      /* of the cube */
static Vector *place, *speed, *force;
static long *cell_of, *first, *members; /* atoms of cell c: members[first[c]] to members[first[c + 1] - 1] */
static int parallel;

static inline double wrapped(double x) { return x - edge * floor(x / edge); }
/* By the shorter way around; both positions are in the cube. */
static inline double nearest(double d) { return d > 0.5 * edge ? d - edge : d < -0.5 * edge ? d + edge : d; }

static inline long cell_along(double x) {
  long c = (long)(x / edge * (double)grid);
  return c < grid ? c : grid - 1;
}

/* Adds the force of b on a; returns half of their potential. */
static inline double interact(long a, long b, Vector *sum) {
  double dx = nearest(place[a].x - place[b].x), dy = nearest(place[a].y - place[b].y), dz = nearest(place[a].z - place[b].z);
  double r2 = dx * dx + dy * dy + dz * dz;
  if (r2 >= kReach * kReach) return 0;
  double i2 = 1 / r2, i6 = i2 * i2 * i2, f = 48 * i6 * (i6 - 0.5) * i2;
  sum->x += f * dx;
  sum->y += f * dy;
  sum->z += f * dz;
  return 2 * i6 * (i6 - 1);
}

/* Half a kick and the drift; the atom's new cell. */
static inline void advance(long a) {
  double half = 0.5 * kTimeStep;
  speed[a].x += half * force[a].x;
  speed[a].y += half * force[a].y;
  speed[a].z += half * force[a].z;
  place[a].x = wrapped(place[a].x + kTimeStep * speed[a].x);
  place[a].y = wrapped(place[a].y + kTimeStep * speed[a].y);
  place[a].z = wrapped(place[a].z + kTimeStep * speed[a].z);
  cell_of[a] = (cell_along(place[a].x) * grid + cell_along(place[a].y)) * grid + cell_along(place[a].z);
}

/* The other half of the kick; returns the atom's kinetic energy. */
static inline double kick(long a) {
  double half = 0.5 * kTimeStep;
  speed[a].x += half * force[a].x;
  speed[a].y += half * force[a].y;
  speed[a].z += half * force[a].z;
  return 0.5 * (speed[a].x * speed[a].x + speed[a].y * speed[a].y + speed[a].z * speed[a].z);
}

static void sort_into_cells(void) {
  long cells = grid * grid * grid;
  memset(first, 0, (size_t)(cells + 2) * sizeof *first);
  for (long a = 0; a < atoms; a++) first[cell_of[a] + 2]++;
  for (long c = 0; c < cells; c++) first[c + 2] += first[c + 1];
  for (long a = 0; a < atoms; a++) members[first[cell_of[a] + 1]++] = a;
}

/* All forces on the atoms of a cell; returns their potential. */
static double forces_in_cell(long cell) {
  double potential = 0;
  long cx = cell / (grid * grid), cy = cell / grid % grid, cz = cell % grid;
  for (long m = first[cell]; m < first[cell + 1]; m++) {
    long a = members[m];
    Vector sum = {0, 0, 0};
    for (long n = 0; n < 27; n++) {
      long x = (cx + n / 9 - 1 + grid) % grid, y = (cy + n / 3 % 3 - 1 + grid) % grid, z = (cz + n % 3 - 1 + grid) % grid;
      long other = (x * grid + y) * grid + z;
      for (long k = first[other]; k < first[other + 1]; k++)
        if (members[k] != a) potential += interact(a, members[k], &sum);
    }
    force[a] = sum;
  }
  return potential;
}

/* A clause cannot be chosen at run time, so there is one loop per schedule. */
static double all_forces(void) {
  double potential = 0;
  long cells = grid * grid * grid;
  switch (schedule) {
    case kStatic:
#pragma omp parallel for schedule(static) reduction(+ : potential) if (parallel)
      for (long c = 0; c < cells; c++) potential += forces_in_cell(c);
      break;
    case kDynamic:
#pragma omp parallel for schedule(dynamic, chunk) reduction(+ : potential) if (parallel)
      for (long c = 0; c < cells; c++) potential += forces_in_cell(c);
      break;
    default:
#pragma omp parallel for schedule(guided, chunk) reduction(+ : potential) if (parallel)
      for (long c = 0; c < cells; c++) potential += forces_in_cell(c);
  }
  return potential;
}

/* Returns the total energy after the last step. */
static double run(void) {
  double kinetic = 0, potential = 0;
  for (long t = 0; t < steps; t++) {
#pragma omp parallel for schedule(static) if (parallel)
    for (long a = 0; a < atoms; a++) advance(a);
    sort_into_cells();
    potential = all_forces();
    kinetic = 0;
#pragma omp parallel for schedule(static) reduction(+ : kinetic) if (parallel)
    for (long a = 0; a < atoms; a++) kinetic += kick(a);
  }
  return kinetic + potential;
}

/* A face-centred cubic crystal with random speeds that add up to none; returns its energy. */
static double start_atoms(void) {
  uint64_t state = random_seed(1);
  double unit = edge / (double)side, kinetic = 0;
  Vector drift = {0, 0, 0};
  for (long a = 0; a < atoms; a++) {
    long corner = a / 4, kind = a % 4;
    place[a].x = unit * ((double)(corner / (side * side)) + 0.25 + 0.5 * (kind == 1 || kind == 2));
    place[a].y = unit * ((double)(corner / side % side) + 0.25 + 0.5 * (kind == 1 || kind == 3));
    place[a].z = unit * ((double)(corner % side) + 0.25 + 0.5 * (kind == 2 || kind == 3));
    speed[a] = (Vector){2 * random_unit(&state) - 1, 2 * random_unit(&state) - 1, 2 * random_unit(&state) - 1};
    drift.x += speed[a].x / (double)atoms;
    drift.y += speed[a].y / (double)atoms;
    drift.z += speed[a].z / (double)atoms;
  }
  for (long a = 0; a < atoms; a++) {
    speed[a] = (Vector){speed[a].x - drift.x, speed[a].y - drift.y, speed[a].z - drift.z};
    force[a] = (Vector){0, 0, 0};
    cell_of[a] = (cell_along(place[a].x) * grid + cell_along(place[a].y)) * grid + cell_along(place[a].z);
    kinetic += 0.5 * (speed[a].x * speed[a].x + speed[a].y * speed[a].y + speed[a].z * speed[a].z);
  }
  sort_into_cells();
  return kinetic + all_forces();
}

/* The forces on some atoms from all others, without cells. */
static int forces_right(void) {
  for (long a = 0; a < atoms; a += 1 + atoms / 50) {
    Vector sum = {0, 0, 0};
    for (long b = 0; b < atoms; b++)
      if (b != a) interact(a, b, &sum);
    double off = fabs(sum.x - force[a].x) + fabs(sum.y - force[a].y) + fabs(sum.z - force[a].z);
    if (!(off < 1e-7)) return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &side, 4, 100, "crystal units along an edge, of four atoms each"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "time steps"},
      {"--schedule", kChoice, "static|dynamic|guided", &schedule, 0, 0, "schedule of the loop over cells"},
      {"--chunk", kLong, "N", &chunk, 1, 1e6, "cells per chunk, for dynamic and guided"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "N atoms or fewer: no parallel region"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "md", "Molecular dynamics with cell lists, a few short parallel loops per step.", options,
                OPTION_COUNT(options));
  atoms = 4 * side * side * side;
  edge = cbrt((double)atoms / kDensity);
  grid = (long)(edge / kReach);
  place = allocate((size_t)atoms * sizeof *place);
  speed = allocate((size_t)atoms * sizeof *speed);
  force = allocate((size_t)atoms * sizeof *force);
  cell_of = allocate((size_t)atoms * sizeof *cell_of);
  members = allocate((size_t)atoms * sizeof *members);
  first = allocate((size_t)(grid * grid * grid + 2) * sizeof *first);

  parallel = atoms > cutoff;
  double before = start_atoms();
  double start = begin_timed_part();
  double energy = run();
  double seconds = end_timed_part(start);

  /* Energy is conserved, except for the jumps when pairs come into reach; the sequential run gives the same bits. */
  int ok = forces_right() && fabs(energy - before) < 0.02 * (double)atoms;
  Vector *found = allocate((size_t)atoms * sizeof *found);
  memcpy(found, place, (size_t)atoms * sizeof *found);
  parallel = 0;
  start_atoms();
  double expected = run();
  ok &= memcmp(found, place, (size_t)atoms * sizeof *found) == 0 && fabs(energy - expected) < 1e-6 * (double)atoms;

  char size_text[48], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%ld", atoms, steps);
  snprintf(text, sizeof text, "%.6f", energy / (double)atoms);
  return finish("md", size_text, text, -1, seconds, ok);
}

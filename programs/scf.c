/* Self-consistent field (Hartree-Fock) energy of a lattice of hydrogen molecules, in a basis of one contracted Gaussian an
   atom (STO-3G; Hehre, Stewart and Pople 1969). Nearly all time goes into two-electron integrals: four nested loops over
   basis functions, each quartet once, small ones left out by Schwarz's inequality, and up to six sums into the Fock matrix
   for each that is left. The iterations of the outermost loop differ in length by orders of magnitude. Clauses and
   directives are made by macros, as codes do that are to be built without OpenMP, too. */
#include <math.h>

#include "common.h"

#define PRAGMA(text) _Pragma(#text)
#ifdef _OPENMP
#define PARALLEL PRAGMA(omp parallel LARGE)
#define LOOP(...) PRAGMA(omp for __VA_ARGS__)
#define PARALLEL_LOOP(...) PRAGMA(omp parallel for LARGE __VA_ARGS__)
#define ATOMIC PRAGMA(omp atomic)
#define LARGE if (parallel)
#define BALANCED schedule(runtime)
#define EVEN schedule(static)
#else
#define PARALLEL
#define LOOP(...)
#define PARALLEL_LOOP(...)
#define ATOMIC
#endif

enum { kTerms = 3 };

typedef struct {
  double x, y, z;
} Point;

static const double kPi = 3.14159265358979323846;
static const double kExponent[kTerms] = {3.42525091, 0.62391373, 0.16885540};
static const double kPart[kTerms] = {0.15432897, 0.53532814, 0.44463454};
static const double kBond = 1.4, kApart = 5.0; /* atomic units */
static const double kNegligible = 1e-10;

static long molecules = 10, steps = 6, cutoff = 0;
static int parallel;
static long n; /* basis functions: one for each atom */
static Point *atom;
static double *overlap, *core, *bound, *density, *fock, *repulsion;
static double weight[kTerms]; /* of each term, normalised */

#define AT(matrix, i, j) matrix[(i) * n + (j)]

static double apart2(Point a, Point b) {
  double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

static Point between(double a, Point p, double b, Point q) {
  Point m = {(a * p.x + b * q.x) / (a + b), (a * p.y + b * q.y) / (a + b), (a * p.z + b * q.z) / (a + b)};
  return m;
}

/* Boys' function of order 0. */
static double boys(double t) { return t < 1e-8 ? 1 - t / 3 : 0.5 * sqrt(kPi / t) * erf(sqrt(t)); }

/* Overlap of two basis functions, and their kinetic energy and attraction by all nuclei. */
static void one_electron(long i, long j, double *overlapping, double *energy) {
  double sum = 0, total = 0, r2 = apart2(atom[i], atom[j]);
  for (int a = 0; a < kTerms; a++)
    for (int b = 0; b < kTerms; b++) {
      double p = kExponent[a] + kExponent[b], mu = kExponent[a] * kExponent[b] / p;
      double w = weight[a] * weight[b] * exp(-mu * r2), s = w * pow(kPi / p, 1.5);
      Point middle = between(kExponent[a], atom[i], kExponent[b], atom[j]);
      sum += s;
      total += s * mu * (3 - 2 * mu * r2);
      for (long c = 0; c < n; c++) total -= w * 2 * kPi / p * boys(p * apart2(middle, atom[c]));
    }
  *overlapping = sum;
  *energy = total;
}

/* The integral (ij|kl). */
static double two_electron(long i, long j, long k, long l) {
  double sum = 0, ij2 = apart2(atom[i], atom[j]), kl2 = apart2(atom[k], atom[l]);
  for (int a = 0; a < kTerms; a++)
    for (int b = 0; b < kTerms; b++) {
      double p = kExponent[a] + kExponent[b];
      double left = weight[a] * weight[b] * exp(-kExponent[a] * kExponent[b] / p * ij2);
      Point here = between(kExponent[a], atom[i], kExponent[b], atom[j]);
      for (int c = 0; c < kTerms; c++)
        for (int d = 0; d < kTerms; d++) {
          double q = kExponent[c] + kExponent[d];
          double right = weight[c] * weight[d] * exp(-kExponent[c] * kExponent[d] / q * kl2);
          Point there = between(kExponent[c], atom[k], kExponent[d], atom[l]);
          sum += left * right * 2 * pow(kPi, 2.5) / (p * q * sqrt(p + q)) * boys(p * q / (p + q) * apart2(here, there));
        }
    }
  return sum;
}

static void one_electron_matrices(void) {
  PARALLEL_LOOP(EVEN)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) one_electron(i, j, &AT(overlap, i, j), &AT(core, i, j));
}

static void schwarz_bounds(void) {
  PARALLEL_LOOP(BALANCED)
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) AT(bound, i, j) = AT(bound, j, i) = sqrt(two_electron(i, j, i, j));
}

static inline void add_to(double *sum, double value) {
  ATOMIC
  *sum += value;
}

/* Adds the electrons' repulsion by the density to the core matrix; returns how many integrals were not negligible. */
static long fock_matrix(void) {
  long count = 0;
  PARALLEL {
    LOOP(EVEN)
    for (long at = 0; at < n * n; at++) repulsion[at] = 0;
    LOOP(BALANCED reduction(+ : count))
    for (long i = 0; i < n; i++)
      for (long j = 0; j <= i; j++) {
        if (AT(bound, i, j) < kNegligible) continue;
        for (long k = 0; k <= i; k++)
          for (long l = 0; l <= (k == i ? j : k); l++) {
            if (AT(bound, i, j) * AT(bound, k, l) < kNegligible) continue;
            /* as often as its indices can be exchanged */
            double times = (i == j ? 1 : 2) * (k == l ? 1 : 2) * (i == k && j == l ? 1 : 2);
            double value = times * two_electron(i, j, k, l);
            count++;
            add_to(&AT(repulsion, i, j), AT(density, k, l) * value);
            add_to(&AT(repulsion, k, l), AT(density, i, j) * value);
            add_to(&AT(repulsion, i, k), -0.25 * AT(density, j, l) * value);
            add_to(&AT(repulsion, j, l), -0.25 * AT(density, i, k) * value);
            add_to(&AT(repulsion, i, l), -0.25 * AT(density, j, k) * value);
            add_to(&AT(repulsion, j, k), -0.25 * AT(density, i, l) * value);
          }
      }
    LOOP(EVEN)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) AT(fock, i, j) = AT(core, i, j) + 0.5 * (AT(repulsion, i, j) + AT(repulsion, j, i));
  }
  return count;
}

static double energy_of_electrons(void) {
  double energy = 0;
  PARALLEL_LOOP(EVEN reduction(+ : energy))
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) energy += AT(density, i, j) * (AT(core, i, j) + AT(fock, i, j));
  return energy;
}

static double energy_of_nuclei(void) {
  double energy = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i; j++) energy += 1 / sqrt(apart2(atom[i], atom[j]));
  return energy;
}

/* Eigenvalues of a symmetric matrix in its diagonal, vectors in the columns of v, by Jacobi's rotations. */
static void diagonalise(double *a, double *v) {
  for (long at = 0; at < n * n; at++) v[at] = at % (n + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0;
    for (long p = 0; p < n; p++)
      for (long q = 0; q < p; q++) off += AT(a, p, q) * AT(a, p, q);
    if (off < 1e-24) return;
    for (long p = 0; p < n; p++)
      for (long q = p + 1; q < n; q++) {
        if (fabs(AT(a, p, q)) < 1e-300) continue;
        double theta = (AT(a, q, q) - AT(a, p, p)) / (2 * AT(a, p, q));
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (long k = 0; k < n; k++) {
          double x = AT(a, k, p), y = AT(a, k, q);
          AT(a, k, p) = c * x - s * y;
          AT(a, k, q) = s * x + c * y;
        }
        for (long k = 0; k < n; k++) {
          double x = AT(a, p, k), y = AT(a, q, k), g = AT(v, k, p), h = AT(v, k, q);
          AT(a, p, k) = c * x - s * y;
          AT(a, q, k) = s * x + c * y;
          AT(v, k, p) = c * g - s * h;
          AT(v, k, q) = s * g + c * h;
        }
      }
  }
}

/* c = a b, or a b' */
static void multiply(const double *a, const double *b, int transposed, double *c) {
  PARALLEL_LOOP(EVEN)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double sum = 0;
      for (long k = 0; k < n; k++) sum += AT(a, i, k) * (transposed ? AT(b, j, k) : AT(b, k, j));
      AT(c, i, j) = sum;
    }
}

/* The density of the lowest n / 2 orbitals of the Fock matrix; `root` is the overlap's inverse square root. */
static void next_density(const double *root, double *one, double *two, double *three) {
  multiply(root, fock, 0, one);
  multiply(one, root, 0, two);
  diagonalise(two, three);
  multiply(root, three, 0, one);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) AT(density, i, j) = 0;
  for (long taken = 0; taken < n / 2; taken++) {
    long lowest = -1;
    for (long p = 0; p < n; p++)
      if (AT(two, p, p) < 1e300 && (lowest < 0 || AT(two, p, p) < AT(two, lowest, lowest))) lowest = p;
    AT(two, lowest, lowest) = INFINITY;
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) AT(density, i, j) += AT(one, i, lowest) * AT(one, j, lowest);
  }
}

static void inverse_root(double *root, double *one, double *two) {
  memcpy(one, overlap, (size_t)(n * n) * sizeof *one);
  diagonalise(one, two);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double sum = 0;
      for (long k = 0; k < n; k++) sum += AT(two, i, k) * AT(two, j, k) / sqrt(AT(one, k, k));
      AT(root, i, j) = sum;
    }
}

static double *matrix(void) { return allocate((size_t)(n * n) * sizeof(double)); }

/* So many molecules on a cubic lattice, which lie in three directions in turn. */
static void place_atoms(long count) {
  n = 2 * count;
  atom = allocate((size_t)n * sizeof *atom);
  long edge = (long)ceil(cbrt((double)count));
  for (long m = 0; m < count; m++) {
    Point at = {kApart * (double)(m % edge), kApart * (double)(m / edge % edge), kApart * (double)(m / edge / edge)};
    atom[2 * m] = atom[2 * m + 1] = at;
    *(m % 3 == 0 ? &atom[2 * m + 1].x : m % 3 == 1 ? &atom[2 * m + 1].y : &atom[2 * m + 1].z) += kBond;
  }
}

/* Returns the energy after some steps from single atoms. `seconds`: of all but the making of arrays. */
static double self_consistent(long count, int in_parallel, long *integrals, double *electrons, double *seconds) {
  parallel = in_parallel && 2 * count > cutoff;
  place_atoms(count);
  double *root = matrix(), *one = matrix(), *two = matrix(), *three = matrix();
  overlap = matrix(), core = matrix(), bound = matrix(), density = matrix(), fock = matrix(), repulsion = matrix();
  double start = in_parallel ? begin_timed_part() : 0;
  one_electron_matrices();
  schwarz_bounds();
  inverse_root(root, one, two);
  for (long at = 0; at < n * n; at++) density[at] = at % (n + 1) == 0 ? 0.5 : 0;
  *integrals = 0;
  double energy = 0;
  for (long step = 0; step < steps; step++) {
    if (step > 0) next_density(root, one, two, three);
    *integrals += fock_matrix();
    energy = energy_of_electrons() + energy_of_nuclei();
  }
  *seconds = in_parallel ? end_timed_part(start) : 0;
  *electrons = 0;
  for (long at = 0; at < n * n; at++) *electrons += 2 * density[at] * overlap[at];
  double *all[] = {root, one, two, three, overlap, core, bound, density, fock, repulsion};
  for (int at = 0; at < 10; at++) free(all[at]);
  free(atom);
  return energy;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &molecules, 1, 100, "hydrogen molecules, each of two basis functions"},
      {"--steps", kLong, "N", &steps, 2, 1000, "steps towards self-consistency"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "N basis functions or fewer: no parallel region"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "scf", "Hartree-Fock energy of hydrogen molecules: two-electron integrals. Schedule: OMP_SCHEDULE.", options,
                OPTION_COUNT(options));
  for (int a = 0; a < kTerms; a++) weight[a] = kPart[a] * pow(2 * kExponent[a] / kPi, 0.75);

  long integrals, expected_integrals, few;
  double electrons, unused, seconds, none;
  double energy = self_consistent(molecules, 1, &integrals, &electrons, &seconds);
  double expected = self_consistent(molecules, 0, &expected_integrals, &unused, &none);
  double molecule = self_consistent(1, 0, &few, &unused, &none);
  /* One molecule's energy is in textbooks: -1.1167 hartree (Szabo and Ostlund 1982, 3.5.2). */
  int ok = fabs(energy - expected) < 1e-8 * (double)molecules && integrals == expected_integrals &&
           fabs(electrons - 2 * (double)molecules) < 1e-8 && fabs(molecule - -1.1167) < 5e-5;
  char size_text[48], text[64];
  snprintf(size_text, sizeof size_text, "%ldx%ld", molecules, steps);
  snprintf(text, sizeof text, "%.6f/%ld", energy, integrals);
  return finish("scf", size_text, text, -1, seconds, ok);
}

/* Aligns every sequence of a set with every other: the score of the best global alignment of two proteins, with
   gaps that cost more to open than to extend (Gotoh, J. Mol. Biol. 162, 1982), in memory proportional to their length.
   Lengths differ, so pairs do, too. BOTS's program of this name makes one task per pair in a work-sharing loop; here
   one producer, a taskloop, and a loop without tasks are possible, too. */
#include "common.h"

enum { kLetters = 20, kLongest = 4000, kGapOpen = 11, kGapGoOn = 1, kNever = -(1 << 28), kChecked = 200 };
enum { kFor, kSingle, kTaskloop, kLoop };

static long sequences = 40, length = 300, version = kFor, cutoff = 0;
static signed char **sequence;
static int *length_of;
static int *scores; /* scores[i * sequences + j], j < i */
static signed char likeness[kLetters][kLetters];

static int largest(int a, int b) { return a > b ? a : b; }

/* Row by row: `end` is the best score of the prefixes, `down` of those whose alignment ends in a gap in b, `across`
   in a. */
static int align(const signed char *a, int rows, const signed char *b, int columns) {
  int end[kLongest + 1], down[kLongest + 1];
  end[0] = 0;
  for (int j = 1; j <= columns; j++) {
    end[j] = -kGapOpen - j * kGapGoOn;
    down[j] = kNever;
  }
  for (int i = 1; i <= rows; i++) {
    const signed char *like = likeness[a[i - 1]];
    int diagonal = end[0], across = kNever;
    end[0] = -kGapOpen - i * kGapGoOn;
    for (int j = 1; j <= columns; j++) {
      down[j] = largest(down[j], end[j] - kGapOpen) - kGapGoOn;
      across = largest(across, end[j - 1] - kGapOpen) - kGapGoOn;
      int match = diagonal + like[b[j - 1]];
      diagonal = end[j];
      end[j] = largest(match, largest(down[j], across));
    }
  }
  return end[columns];
}

static void align_pair(long i, long j) {
  scores[i * sequences + j] = align(sequence[i], length_of[i], sequence[j], length_of[j]);
}

/* The pairs of sequence i with those before it. */
static void align_with_tasks(long i) {
  for (long j = 0; j < i; j++) {
    if (length_of[i] <= cutoff || length_of[j] <= cutoff) {
      align_pair(i, j);
      continue;
    }
    count_tasks(1);
#pragma omp task firstprivate(i, j)
    align_pair(i, j);
  }
}

/* Pair number p, counted row by row through the triangle. */
static void align_numbered(long p) {
  long i = 1;
  while (i * (i + 1) / 2 <= p) i++;
  align_pair(i, p - i * (i - 1) / 2);
}

static void align_all(void) {
  /* clang 19 warns about signed ones in a taskloop */
  unsigned long pairs = (unsigned long)(sequences * (sequences - 1) / 2);
#pragma omp parallel
  {
    switch (version) {
      case kFor:
#pragma omp for schedule(dynamic, 1)
        for (long i = 1; i < sequences; i++) align_with_tasks(i);
        break;
      case kSingle:
#pragma omp single
        for (long i = 1; i < sequences; i++) align_with_tasks(i);
        break;
      case kTaskloop:
#pragma omp single
        {
          count_tasks((long)pairs);
#pragma omp taskloop grainsize(1)
          for (unsigned long p = 0; p < pairs; p++) align_numbered((long)p);
        }
        break;
      default:
#pragma omp for schedule(dynamic, 1)
        for (unsigned long p = 0; p < pairs; p++) align_numbered((long)p);
    }
    flush_task_count();
  }
}

/* The same score from the definition, with a table for all prefixes and every length of gap tried: cubic, and
   only the costs in common with the above. */
static int align_by_definition(const signed char *a, int rows, const signed char *b, int columns) {
  int width = columns + 1, *best = allocate((size_t)(rows + 1) * (size_t)width * sizeof *best);
  for (int i = 0; i <= rows; i++)
    for (int j = 0; j <= columns; j++) {
      int found = i == 0 && j == 0 ? 0 : kNever;
      if (i > 0 && j > 0) found = best[(i - 1) * width + j - 1] + likeness[a[i - 1]][b[j - 1]];
      for (int gap = 1; gap <= i; gap++)
        found = largest(found, best[(i - gap) * width + j] - kGapOpen - gap * kGapGoOn);
      for (int gap = 1; gap <= j; gap++)
        found = largest(found, best[i * width + j - gap] - kGapOpen - gap * kGapGoOn);
      best[i * width + j] = found;
    }
  int score = best[rows * width + columns];
  free(best);
  return score;
}

/* Equal letters score, others cost; symmetric, and in the range of the usual tables. */
static void draw_likeness(uint64_t *state) {
  for (int i = 0; i < kLetters; i++)
    for (int j = 0; j <= i; j++) {
      int score = i == j ? 4 + (int)(random_next(state) >> 62) : -4 + (int)(random_next(state) % 6);
      likeness[i][j] = likeness[j][i] = (signed char)score;
    }
}

/* Half to one and a half times the length asked for. Each sequence is a piece of a common ancestor with a third of its
   letters changed, so that there is something to align. */
static void draw_sequences(uint64_t seed) {
  uint64_t state = random_seed(seed);
  draw_likeness(&state);
  signed char ancestor[kLongest];
  for (int k = 0; k < kLongest; k++) ancestor[k] = (signed char)(random_next(&state) % kLetters);
  sequence = allocate((size_t)sequences * sizeof *sequence);
  length_of = allocate((size_t)sequences * sizeof *length_of);
  for (long i = 0; i < sequences; i++) {
    int n = (int)(length / 2 + (long)(random_next(&state) % (uint64_t)(length + 1)));
    if (n < 1) n = 1;
    if (n > kLongest) n = kLongest;
    int from = (int)(random_next(&state) % (uint64_t)(kLongest - n + 1)) % (int)(length / 4 + 1);
    sequence[i] = allocate((size_t)n);
    length_of[i] = n;
    for (int k = 0; k < n; k++)
      sequence[i][k] = (signed char)(random_next(&state) % 3 ? ancestor[(from + k) % kLongest]
                                                             : (int)(random_next(&state) % kLetters));
  }
}

/* All pairs again with one thread, and short beginnings of some by the definition. */
static int is_right(uint64_t seed) {
  for (long i = 1; i < sequences; i++)
    for (long j = 0; j < i; j++)
      if (scores[i * sequences + j] != align(sequence[i], length_of[i], sequence[j], length_of[j])) return 0;
  uint64_t state = random_seed(seed);
  for (int k = 0; k < kChecked; k++) {
    long i = (long)(random_next(&state) % (uint64_t)sequences), j = (long)(random_next(&state) % (uint64_t)sequences);
    int rows = length_of[i] < 40 ? length_of[i] : 40, columns = length_of[j] < 30 ? length_of[j] : 30;
    if (align(sequence[i], rows, sequence[j], columns) != align_by_definition(sequence[i], rows, sequence[j], columns))
      return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &sequences, 2, 10000, "sequences"},
      {"--length", kLong, "N", &length, 2, kLongest * 2 / 3, "mean length of a sequence"},
      {"--version", kChoice, "for|single|taskloop|loop", &version, 0, 0, "who creates the tasks; loop: nobody"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "for and single: no task for sequences of N letters or fewer"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "a task for every pair"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the sequences"},
  };
  parse_options(argc, argv, "alignment", "Scores of the best alignments of all pairs of sequences.", options,
                OPTION_COUNT(options));
  draw_sequences((uint64_t)seed);
  scores = allocate((size_t)(sequences * sequences) * sizeof *scores);
  for (long k = 0; k < sequences * sequences; k++) scores[k] = kNever;

  double start = begin_timed_part();
  align_all();
  double seconds = end_timed_part(start);

  long sum = 0;
  for (long i = 1; i < sequences; i++)
    for (long j = 0; j < i; j++) sum += scores[i * sequences + j];
  char size_text[48], text[32];
  snprintf(size_text, sizeof size_text, "%ldx%ld", sequences, length);
  snprintf(text, sizeof text, "%ld", sum);
  int ok = is_right((uint64_t)seed + 1);
  return finish("alignment", size_text, text, version == kLoop ? -1 : tasks_made, seconds, ok);
}

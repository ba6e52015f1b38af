/* All placements of n queens on an n x n board, none attacking another: a search tree with uneven branches.
   One task for every queen placed; each carries its own copy of the board, as in BOTS's program of this name. */
#include "common.h"

enum { kMaxBoard = 16 };

/* Solutions for n = 0..16: OEIS A000170. */
static const long kPublished[kMaxBoard + 1] = {1,   1,    0,     0,     2,      10,      4,       40,      92,
                                               352,  724, 2680, 14200, 73712, 365596, 2279184, 14772512};

typedef struct {
  signed char column[kMaxBoard]; /* column[r]: where the queen of row r stands; only for rows below the task's row */
} Board;

static int size;
static long cutoff = 3;

static int fits(const Board *board, int row, int column) {
  for (int r = 0; r < row; r++) {
    int distance = board->column[r] - column;
    if (distance == 0 || distance == row - r || distance == r - row) return 0;
  }
  return 1;
}

static long solve_sequential(Board *board, int row) {
  if (row == size) return 1;
  long solutions = 0;
  for (int column = 0; column < size; column++)
    if (fits(board, row, column)) {
      board->column[row] = (signed char)column;
      solutions += solve_sequential(board, row + 1);
    }
  return solutions;
}

static long solve(Board board, int row) {
  if (row == size) return 1;
  if (row >= cutoff) return solve_sequential(&board, row);
  long partial[kMaxBoard] = {0};
  for (int column = 0; column < size; column++)
    if (fits(&board, row, column)) {
      board.column[row] = (signed char)column;
      count_tasks(1);
#pragma omp task UNTIED shared(partial) firstprivate(board, row, column)
      partial[column] = solve(board, row + 1);
    }
#pragma omp taskwait
  long solutions = 0;
  for (int column = 0; column < size; column++) solutions += partial[column];
  return solutions;
}

int main(int argc, char **argv) {
  long n = 13;
  const Option options[] = {
      {"--size", kLong, "N", &n, 1, kMaxBoard, "queens and rows of the board"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1000, "no tasks below row N"},
      {"--no-cutoff", kSwitch, "", &cutoff, (double)NO_CUTOFF, 0, "tasks in every row"},
  };
  parse_options(argc, argv, "nqueens", "Counts the solutions of the n-queens problem, a task for each queen placed.",
                options, OPTION_COUNT(options));
  size = (int)n;

  long result = 0;
  double start = begin_timed_part();
#pragma omp parallel
  {
#pragma omp single
    {
      Board empty = {{0}};
      result = solve(empty, 0);
    }
    flush_task_count();
  }
  double seconds = end_timed_part(start);

  char size_text[32], text[32];
  snprintf(size_text, sizeof size_text, "%ld", n);
  snprintf(text, sizeof text, "%ld", result);
  return finish("nqueens", size_text, text, tasks_made, seconds, result == kPublished[n]);
}

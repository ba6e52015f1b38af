/* All placements of n queens on an n x n board, none attacking another: a search tree with uneven branches.
   One task for every queen placed; each carries its own copy of the board, as in BOTS's program of this name. With
   codelet these are procedures, which give way where tasks wait (a library without codelets creates tasks). */
#include <einkorn/codelet.h>

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
enum { kTask, kCodelet };

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

/* A queen placed. A sum each, to which the queens of the next row add, keeps it as short as other procedures' frames. */
struct placed {
  Board board;
  long solutions, *to;
  int row;
};
static const ek_proc placed_procedure;

static ek_next run_placed(ek_self *me) {
  struct placed *p = me->frame;
  switch (me->at) { case 1: goto all_known; }
  if (p->row == size) {
    p->solutions = 1;
    goto all_known;
  }
  struct placed next = {p->board, 0, &p->solutions, p->row + 1};
  for (int column = 0; column < size; column++)
    if (fits(&p->board, p->row, column)) {
      next.board.column[p->row] = (signed char)column;
      count_tasks(1);
      ek_invoke(me, &placed_procedure, &next);
    }
  EK_YIELD(me, 1, EK_WAIT);
all_known:
  if (p->solutions != 0) {
#pragma omp atomic
    *p->to += p->solutions;
  }
  return EK_END;
}
static const ek_proc placed_procedure = {
    .name = "nqueens", .file = __FILE__, .run = run_placed, .frame_bytes = sizeof(struct placed)};

int main(int argc, char **argv) {
  long n = 13, version = kTask;
  const Option options[] = {
      {"--size", kLong, "N", &n, 1, kMaxBoard, "queens and rows of the board"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1000, "no tasks below row N"},
      {"--version", kChoice, "task|codelet", &version, 0, 0, "codelet: a procedure for each queen, no cut-off"},
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
      if (version == kCodelet && ek_on())
        ek_launch(&placed_procedure, &(struct placed){empty, 0, &result, 0});
      else
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

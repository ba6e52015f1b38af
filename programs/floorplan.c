/* Floor planning by branch and bound: rectangular cells, each with some shapes to choose from, are laid one after
   the other without overlap into the corner of a sheet; the smallest rectangle around them is wanted. One task for
   every cell laid, with its own copy of the sheet. The best area so far is shared, so the part of the tree that is
   searched depends on who finds what first. BOTS has a program of this name and kind; cells and search are our own.
   With codelet the tasks are procedures, which give way where tasks wait (a library without codelets creates tasks). */
#include <einkorn/codelet.h>

#include "common.h"

enum { kMaxCells = 20, kMaxShapes = 3, kSide = 64 };

typedef struct {
  int width, height;
} Shape;

typedef struct {
  int shapes;
  Shape shape[kMaxShapes];
} Cell;

/* The cells laid so far: the corner (x, y) and the far corner of each, and the sheet, one bit per square. */
typedef struct {
  uint64_t row[kSide];
  signed char x[kMaxCells], y[kMaxCells], right[kMaxCells], top[kMaxCells];
  int width, height; /* of the rectangle around all of them */
} Sheet;

static Cell cells[kMaxCells];
static int count;
static long cutoff = 4;
enum { kTask, kCodelet };
static int smallest; /* area; only ever falls */
static Sheet best;

static int area_of(const Sheet *sheet) { return sheet->width * sheet->height; }

static int bits_free(const Sheet *sheet, int x, int y, Shape s) {
  uint64_t mask = ((1ULL << s.width) - 1) << x;
  for (int r = y; r < y + s.height; r++)
    if (sheet->row[r] & mask) return 0;
  return 1;
}

static void lay(Sheet *sheet, int cell, int x, int y, Shape s) {
  uint64_t mask = ((1ULL << s.width) - 1) << x;
  for (int r = y; r < y + s.height; r++) sheet->row[r] |= mask;
  sheet->x[cell] = (signed char)x;
  sheet->y[cell] = (signed char)y;
  sheet->right[cell] = (signed char)(x + s.width);
  sheet->top[cell] = (signed char)(y + s.height);
  if (x + s.width > sheet->width) sheet->width = x + s.width;
  if (y + s.height > sheet->height) sheet->height = y + s.height;
}

/* Where the next cell may go: its corner is on the right edge of one cell and at the height of another's foot, or the
   other way round. Positions that two pairs name are tried once. */
typedef struct {
  int count;
  signed char x[2 * kMaxCells + 1], y[2 * kMaxCells + 1];
} Places;

static void add_place(const Sheet *sheet, Places *places, int x, int y) {
  if (x >= kSide || y >= kSide || (sheet->row[y] >> x & 1)) return;
  for (int i = 0; i < places->count; i++)
    if (places->x[i] == x && places->y[i] == y) return;
  places->x[places->count] = (signed char)x;
  places->y[places->count++] = (signed char)y;
}

static void find_places(const Sheet *sheet, int laid, Places *places) {
  places->count = 0;
  if (laid == 0) add_place(sheet, places, 0, 0);
  for (int i = 0; i < laid; i++) {
    add_place(sheet, places, sheet->right[i], sheet->y[i]);
    add_place(sheet, places, sheet->x[i], sheet->top[i]);
  }
}

static void keep_if_best(const Sheet *sheet) {
  if (area_of(sheet) >= __atomic_load_n(&smallest, __ATOMIC_RELAXED)) return;
#pragma omp critical(best)
  if (area_of(sheet) < smallest) {
    best = *sheet;
    __atomic_store_n(&smallest, area_of(sheet), __ATOMIC_RELAXED);
  }
}

static void search_sequential(const Sheet *sheet, int cell);
static void search(const Sheet *sheet, int cell);

/* Lays one cell in one way, and goes on from there unless the area has reached the best one. */
static void try_one(const Sheet *before, int cell, int x, int y, Shape s, int with_tasks) {
  Sheet sheet = *before;
  lay(&sheet, cell, x, y, s);
  if (area_of(&sheet) >= __atomic_load_n(&smallest, __ATOMIC_RELAXED)) return;
  if (cell + 1 == count)
    keep_if_best(&sheet);
  else if (with_tasks)
    search(&sheet, cell + 1);
  else
    search_sequential(&sheet, cell + 1);
}

static int fits(const Sheet *sheet, int x, int y, Shape s) {
  return x + s.width <= kSide && y + s.height <= kSide && bits_free(sheet, x, y, s);
}

static void search_sequential(const Sheet *sheet, int cell) {
  Places places;
  find_places(sheet, cell, &places);
  for (int k = 0; k < cells[cell].shapes; k++)
    for (int p = 0; p < places.count; p++)
      if (fits(sheet, places.x[p], places.y[p], cells[cell].shape[k]))
        try_one(sheet, cell, places.x[p], places.y[p], cells[cell].shape[k], 0);
}

static void search(const Sheet *sheet, int cell) {
  if (cell >= cutoff) {
    search_sequential(sheet, cell);
    return;
  }
  Places places;
  find_places(sheet, cell, &places);
  for (int k = 0; k < cells[cell].shapes; k++)
    for (int p = 0; p < places.count; p++) {
      int x = places.x[p], y = places.y[p];
      Shape s = cells[cell].shape[k];
      if (!fits(sheet, x, y, s)) continue;
      count_tasks(1);
#pragma omp task UNTIED firstprivate(cell, x, y, s) shared(sheet)
      try_one(sheet, cell, x, y, s, 1);
    }
#pragma omp taskwait
}

/* A cell to be laid on a sheet that is there until all of them are; with it on a sheet of its own it goes on from there. */
struct laying {
  const Sheet *before;
  Shape shape;
  short cell, x, y;
};
static const ek_proc laying_procedure;

static void invoke_all(ek_self *me, const Sheet *sheet, int cell) {
  Places places;
  find_places(sheet, cell, &places);
  for (int k = 0; k < cells[cell].shapes; k++)
    for (int p = 0; p < places.count; p++) {
      struct laying next = {sheet, cells[cell].shape[k], (short)cell, places.x[p], places.y[p]};
      if (!fits(sheet, next.x, next.y, next.shape)) continue;
      count_tasks(1);
      ek_invoke(me, &laying_procedure, &next);
    }
}

static ek_next run_laying(ek_self *me) {
  const struct laying *l = me->frame;
  Sheet *sheet = me->own;
  if (me->at == 1) return EK_END;
  *sheet = *l->before;
  lay(sheet, l->cell, l->x, l->y, l->shape);
  if (area_of(sheet) >= __atomic_load_n(&smallest, __ATOMIC_RELAXED)) return EK_END;
  if (l->cell + 1 == count) {
    keep_if_best(sheet);
    return EK_END;
  }
  invoke_all(me, sheet, l->cell + 1);
  EK_YIELD(me, 1, EK_WAIT);
}
static const ek_proc laying_procedure = {
    .name = "floorplan", .file = __FILE__, .run = run_laying, .frame_bytes = sizeof(struct laying), .own_bytes = sizeof(Sheet)};

/* Sides of 2 to 9; a cell may be laid on its side, and some come in a third shape of about the same area. */
static void draw_cells(uint64_t seed) {
  uint64_t state = random_seed(seed);
  for (int i = 0; i < count; i++) {
    Cell *c = &cells[i];
    int w = 2 + (int)(random_next(&state) >> 61), h = 2 + (int)(random_next(&state) >> 61);
    c->shapes = 0;
    c->shape[c->shapes++] = (Shape){w, h};
    if (w != h) c->shape[c->shapes++] = (Shape){h, w};
    Shape third = w + h > 6 ? (Shape){(w * h + 2) / 3, 3} : (Shape){w + 1, h};
    if (random_next(&state) >> 63) c->shape[c->shapes++] = third;
  }
}

/* No two cells of the best sheet overlap, each has one of its shapes, and together they fill the stated area. */
static int best_is_right(void) {
  Sheet again;
  memset(&again, 0, sizeof again);
  for (int i = 0; i < count; i++) {
    Shape s = {best.right[i] - best.x[i], best.top[i] - best.y[i]};
    int known = 0;
    for (int k = 0; k < cells[i].shapes; k++)
      known |= s.width == cells[i].shape[k].width && s.height == cells[i].shape[k].height;
    if (!known || best.x[i] < 0 || best.y[i] < 0 || !fits(&again, best.x[i], best.y[i], s)) return 0;
    lay(&again, i, best.x[i], best.y[i], s);
  }
  return area_of(&again) == smallest;
}

static void start_search(void) { smallest = kSide * kSide + 1; }

int main(int argc, char **argv) {
  long n = 9, seed = 1, version = kTask;
  const Option options[] = {
      {"--size", kLong, "N", &n, 1, kMaxCells, "cells"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1000, "no tasks from the N-th cell on"},
      {"--no-cutoff", kSwitch, "", &cutoff, (double)NO_CUTOFF, 0, "tasks for every cell"},
      {"--version", kChoice, "task|codelet", &version, 0, 0, "codelet: a procedure for each cell laid, no cut-off"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the cells"},
  };
  parse_options(argc, argv, "floorplan", "Smallest rectangle for cells that may be turned: branch and bound.", options,
                OPTION_COUNT(options));
  count = (int)n;
  draw_cells((uint64_t)seed);
  Sheet empty;
  memset(&empty, 0, sizeof empty);

  start_search();
  double start = begin_timed_part();
#pragma omp parallel
  {
#pragma omp single
    if (version == kCodelet && ek_on()) {
      invoke_all(NULL, &empty, 0);
#pragma omp taskwait
    } else {
      search(&empty, 0);
    }
    flush_task_count();
  }
  double seconds = end_timed_part(start);
  int found = smallest, right = best_is_right();

  start_search(); /* the smallest area does not depend on the order of the search */
  search_sequential(&empty, 0);
  char size_text[32], text[32];
  snprintf(size_text, sizeof size_text, "%ld", n);
  snprintf(text, sizeof text, "%d", found);
  return finish("floorplan", size_text, text, tasks_made, seconds, right && found == smallest);
}

// For loops: who did which iteration. A Map notes it; the checks look at it when the loop is over.
#pragma once
#include "check.h"

enum { kMapSize = 4096, kNobody = -1 };

typedef struct {
  int by[kMapSize];     // thread number; kNobody: not done
  int times[kMapSize];
} Map;

static inline void map_clear(Map *map) {
  for (int i = 0; i < kMapSize; ++i) map->by[i] = kNobody, map->times[i] = 0;
}

// i: logical iteration, from 0.
static inline void map_note(Map *map, long long i) {
  if (i < 0 || i >= kMapSize) {
    check_report(__FILE__, __LINE__, "iteration outside the loop", i, 0);
    return;
  }
  __atomic_add_fetch(&map->times[i], 1, __ATOMIC_RELAXED);
  map->by[i] = omp_get_thread_num();
}

// Each of the first n iterations once, and no others.
static inline void map_check_once(const Map *map, int n, const char *file, int line) {
  for (int i = 0; i < kMapSize; ++i)
    if (map->times[i] != (i < n)) check_report(file, line, i < n ? "times done" : "times done (not in the loop)", map->times[i], i < n);
}
#define CHECK_ONCE(map, n) map_check_once(map, n, __FILE__, __LINE__)

/* What each generated program can use. Its twin in Python is model.py: both compute the same sums. */
#pragma once
#include <omp.h>

typedef unsigned long long u64;

enum { kSums = 16 };

/* A value from a site in the program and the variables known there: no two sites and no two iterations have the
   same. */
static inline u64 mix(unsigned site, u64 e) {
  u64 x = site * 0xD6E8FEB86659FD93ull + e * 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9ull;
  return x ^ x >> 32;
}

/* All of these add mix(site, e) to a sum that all threads share; each is exact in its own way. */
void add(unsigned site, u64 e);          /* atomic update */
void add_captured(unsigned site, u64 e); /* atomic capture */
void add_xor(unsigned site, u64 e);      /* atomic, another operation */
void add_unnamed(unsigned site, u64 e);  /* the critical section without a name */
void add_named(unsigned site, u64 e);    /* one with */
void add_hinted(unsigned site, u64 e);   /* one with a hint */
void add_locked(unsigned site, u64 e);   /* a lock */
void add_tested(unsigned site, u64 e);   /* a lock that is tried until it is free */
void add_nested(unsigned site, u64 e);   /* a nest lock, taken twice */
void add_hint_lock(unsigned site, u64 e); /* a lock with a hint */

/* OpenMP's answers about the caller's context. */
void ask(unsigned site, int what);
enum { kThreads, kLevel, kActive, kFinal, kTeamSize, kMaxLevels };

/* A thread that is not OpenMP's fulfils the event; finish_foreign() waits for all of them. */
void fulfil_elsewhere(omp_event_handle_t event);

/* The compiler knows neither value. */
extern int zero, one;

extern u64 kept;
#pragma omp threadprivate(kept)

struct program {
  int number;
  void (*run)(void);
  u64 expected[4]; /* with 1, 2, 4 and 7 threads */
};
extern const struct program programs[];
extern const int number_of_programs;
extern const int last_words; /* how the process ends, see leave() */

#ifdef __clang__
#define INOUTSET inoutset
#define UNTIED /* clang 19 loses variables of an untied task's own body */
#else
#define INOUTSET mutexinoutset /* gcc 12 knows no inoutset */
#define UNTIED untied
#endif

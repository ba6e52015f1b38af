// teams on the host: each team is an initial team, distribute gives each iteration to one, limits and counts are the team's.
#include "loop_check.h"

static Map map;

// gcc refuses most calls that stand in the region itself.
static void initial_thread(void) {
  CHECK_EQUAL(omp_get_level(), 0);
  CHECK_EQUAL(omp_in_parallel(), 0);
  CHECK_EQUAL(omp_get_num_threads(), 1);
  CHECK_EQUAL(omp_get_thread_num(), 0);
  CHECK_EQUAL(omp_get_thread_limit(), 3);
}

static void one(void) {
  int seen[16] = {0}, teams = 0;
#pragma omp teams num_teams(4) thread_limit(3)
  {
    int all = omp_get_num_teams(), team = omp_get_team_num();
    CHECK(all >= 1 && all <= 4);  // libomp gives fewer where there are few CPUs
    CHECK(team >= 0 && team < all);
    initial_thread();
    set_to(&teams, all);
    add_one(&seen[team & 15]);
    int members = 0;
#pragma omp parallel num_threads(8)
    {
      add_one(&members);
      CHECK(omp_get_num_threads() <= 3);
      CHECK_EQUAL(omp_get_level(), 1);
      CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
      CHECK_EQUAL(omp_get_team_size(0), 1);
      CHECK_EQUAL(omp_get_team_num(), team);
      CHECK_EQUAL(omp_get_num_teams(), all);
    }
    CHECK(members >= 1 && members <= 3);
  }
  for (int i = 0; i < 16; ++i) CHECK_EQUAL(seen[i], i < teams);
  CHECK_EQUAL(omp_get_num_teams(), 1);
  CHECK_EQUAL(omp_get_team_num(), 0);
}

#define DISTRIBUTE(clause)                                    \
  do {                                                        \
    map_clear(&map);                                          \
    _Pragma(clause) for (int i = 0; i < n; ++i) map_note(&map, i); \
    CHECK_ONCE(&map, n);                                      \
  } while (0)

int main(void) {
  CHECK_EQUAL(omp_get_num_teams(), 1);
  for (int i = 0; i < 20; ++i) one();
  // As many as the compiler's own library makes, where the program says nothing.
#ifdef __clang__
  const int unsaid = 1;
#else
  const int unsaid = 3;
#endif
  int made = 0;
#pragma omp teams
  {
    CHECK_EQUAL(omp_get_num_teams(), unsaid);
    add_one(&made);
  }
  CHECK_EQUAL(made, unsaid);
  for (int n = 0; n < 1000; n = n * 3 + 1) {
    DISTRIBUTE("omp teams distribute num_teams(3)");
    DISTRIBUTE("omp teams distribute");
    DISTRIBUTE("omp teams distribute num_teams(7) dist_schedule(static, 4)");
    DISTRIBUTE("omp teams distribute parallel for num_teams(3)");
    DISTRIBUTE("omp teams distribute parallel for num_teams(1)");
    DISTRIBUTE("omp teams distribute parallel for num_teams(40) thread_limit(2)");
    DISTRIBUTE("omp teams distribute parallel for num_teams(2) dist_schedule(static, 5) schedule(static, 2)");
    DISTRIBUTE("omp teams distribute parallel for num_teams(2) schedule(dynamic, 3)");
    DISTRIBUTE("omp teams distribute parallel for simd num_teams(3) schedule(guided)");
    DISTRIBUTE("omp teams distribute simd num_teams(5)");
    long long sum = 0, most = -1;
#pragma omp teams distribute parallel for num_teams(5) reduction(+ : sum) reduction(max : most)
    for (int i = 0; i < n; ++i) {
      sum += i;
      if (i * 7 % 31 > most) most = i * 7 % 31;
    }
    CHECK_EQUAL(sum, (long long)n * (n - 1) / 2);
    long long expected = -1;
    for (int i = 0; i < n; ++i)
      if (i * 7 % 31 > expected) expected = i * 7 % 31;
    CHECK_EQUAL(most, expected);
    double parts[8] = {0};
#pragma omp teams distribute num_teams(6) reduction(+ : parts)
    for (int i = 0; i < n; ++i) parts[i % 8] += 1;
    for (int k = 0; k < 8; ++k) CHECK_EQUAL(parts[k], (n + 7 - k) / 8);
    // The whole range of unsigned long long, downwards.
    int count = 0;
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : count)
    for (unsigned long long i = ~0ull; i > ~0ull - (unsigned long long)n; --i) ++count;
    CHECK_EQUAL(count, n);
  }
  // Tasks, worksharing and nested regions inside; a league after another, and regions of the usual kind between them.
  for (int repeat = 0; repeat < 30; ++repeat) {
    int tasks = 0, chunks = 0, teams = 0;
#pragma omp teams num_teams(3)
    {
      set_to(&teams, omp_get_num_teams());
#pragma omp parallel
      {
#pragma omp single nowait
        for (int i = 0; i < 20; ++i)
#pragma omp task
          add_one(&tasks);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 20; ++i) add_one(&chunks);
      }
    }
    CHECK_EQUAL(tasks, 20 * teams);
    CHECK_EQUAL(chunks, 20 * teams);
    int members = 0, size = 0;
#pragma omp parallel
    {
      add_one(&members);
#pragma omp single
      size = omp_get_num_threads();
    }
    CHECK_EQUAL(members, size);
  }
  return check_end();
}

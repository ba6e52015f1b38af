// lastprivate(conditional): the value of the last iteration that assigns.
// regions: 7 of 7
// Compilers warn of their own code.
// gcc gets its own form wrong: of loops that go down it takes the largest counter for the latest.
// clang-19 gets its own form wrong: it keeps values of other iterations.
#include "check.h"

enum { kSize = 1000 };
static int in[kSize];

static int set, other;
static int *where;

static void last_assigned(int n, int limit) {
  int first = -5, kept = 11;
  long mine = 100;
  short of_pieces = 3;
  set = -1, other = -2, where = NULL;
#pragma omp parallel for lastprivate(conditional : set, where) reduction(+ : mine)
  for (int i = 0; i < n; i++) {
    if (in[i] > limit) set = i;
    if (in[i] == limit) where = &in[i];
    mine++;
  }
  int expected = -1, *there = NULL, pieces = 3, doubled = -2, steps = -5;
  for (int i = 0; i < n; i++) {
    if (in[i] > limit) expected = i;
    if (in[i] == limit) there = &in[i];
    if (in[i] % 7 == 3) pieces = i;
    if (in[i] < -limit) doubled = -2 + i;
    if (in[i] % 11 == 5) steps = i;
  }
  CHECK(set == expected && where == there && mine == 100 + n);
#pragma omp parallel
  {
#pragma omp for schedule(static, 3) lastprivate(conditional : of_pieces)
    for (int i = 0; i < n; i++)
      if (in[i] % 7 == 3) of_pieces = (short)i;
#pragma omp for schedule(nonmonotonic : dynamic, 2) lastprivate(conditional : other) firstprivate(other)
    for (int i = n - 1; i >= 0; i--)
      if (in[n - 1 - i] < -limit) other = -2, other += n - 1 - i;
#pragma omp for schedule(guided) lastprivate(conditional : first)
    for (int *p = in; p < in + n; p++)
      if (*p % 11 == 5) first = (int)(p - in);
#pragma omp for simd schedule(simd : dynamic, 4) lastprivate(conditional : kept)
    for (int i = 0; i < n; i++)
      if (in[i] > 200) kept = i;
  }
  CHECK(of_pieces == pieces && other == doubled && first == steps && kept == 11);
}

static void last_assigned_of_more_loops(int rows, int columns) {
  int found = -1, step = 3;
  long sum = 0;
#pragma omp parallel for collapse(3) schedule(dynamic) lastprivate(conditional : found) reduction(+ : sum)
  for (int i = rows; i > 0; i -= 2)
    for (long j = 0; j <= columns; j += step)
      for (unsigned k = 0; k < 5; k++) {
        sum++;
        if ((i * 13 + j * 5 + (int)k) % 17 == 6) found = (int)(i * 10000 + j * 100 + k);
      }
  int expected = -1;
  for (int i = rows; i > 0; i -= 2)
    for (long j = 0; j <= columns; j += step)
      for (unsigned k = 0; k < 5; k++)
        if ((i * 13 + j * 5 + (int)k) % 17 == 6) expected = (int)(i * 10000 + j * 100 + k);
  CHECK(found == expected);
  int again = 0;
  for (int round = 0; round < 4; round++) {
#pragma omp parallel for collapse(2) lastprivate(conditional : again) schedule(runtime)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        if (i * j == round) ++again, again = i + 10 * j;
    int is = again;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        if (i * j == round) is = i + 10 * j;
    CHECK(again == is);
  }
}

static void last_assigned_over_pointers(int n) {
  int found = -1;
#pragma omp parallel for collapse(2) lastprivate(conditional : found) schedule(dynamic)
  for (int *p = in; p < in + n; p++)
    for (int i = 0; i < 3; i++)
      if ((*p + i) % 7 == 2) found = (int)(p - in) * 3 + i;
  int expected = -1;
  for (int i = 0; i < 3 * n; i++)
    if ((in[i / 3] + i % 3) % 7 == 2) expected = i;
  CHECK(found == expected);
}

static void last_assigned_of_sections(const char *text) {
  int x = 1, y = 2;
#pragma omp parallel sections lastprivate(conditional : x, y)
  {
    if (text[0] == 'x') x = 10;
#pragma omp section
    {
      if (text[1] == 'x') x = 11;
      if (text[1] == 'y') y = 11;
    }
#pragma omp section
    if (text[2] == 'y') y = 12;
#pragma omp section
    {
#pragma omp critical
      if (text[3] == 'x') x = 13;
    }
  }
  int of_x = 1, of_y = 2;
  for (int i = 0; i < 4; i++) {
    if (text[i] == 'x' && i != 2) of_x = 10 + i;
    if (text[i] == 'y' && (i == 1 || i == 2)) of_y = 10 + i;
  }
  CHECK(x == of_x && y == of_y);
#pragma omp parallel
  {
#pragma omp sections lastprivate(conditional : x)
    {
#pragma omp section
      x = 20;
#pragma omp section
      if (text[0] == 'z') x = 21;
    }
  }
  CHECK(x == (text[0] == 'z' ? 21 : 20));
}

int main(void) {
  for (int i = 0; i < kSize; i++) in[i] = (i * 37 + 11) % 101 - 50;
  for (int round = 0; round < 20; round++) {
    for (int n = 0; n < 12; n++) last_assigned(n, 20);
    last_assigned(kSize, 30);
    last_assigned_of_more_loops(7, 9);
    last_assigned_of_more_loops(0, 9);
    last_assigned_over_pointers(5 * round);
    last_assigned_of_sections("xyyx");
    last_assigned_of_sections("xxy ");
    last_assigned_of_sections("zy  ");
  }
  return 0;
}

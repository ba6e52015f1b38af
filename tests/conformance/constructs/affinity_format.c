// Affinity format: get, set, capture, with widths, zeros and both kinds of names.
#include <string.h>
#include <unistd.h>
#include "check.h"

int main(void) {
  char text[200], expected[200];
  omp_set_affinity_format("%0.4n|%.4N|%4L|%{nesting_level}|%%|%{process_id}|");
  CHECK_EQUAL(omp_get_affinity_format(text, sizeof text), strlen("%0.4n|%.4N|%4L|%{nesting_level}|%%|%{process_id}|"));
  CHECK(strcmp(text, "%0.4n|%.4N|%4L|%{nesting_level}|%%|%{process_id}|") == 0);
  CHECK_EQUAL(omp_get_affinity_format(text, 5), strlen("%0.4n|%.4N|%4L|%{nesting_level}|%%|%{process_id}|"));
  CHECK(strcmp(text, "%0.4") == 0);
  size_t n = omp_capture_affinity(text, sizeof text, NULL);
  snprintf(expected, sizeof expected, "0000|   1|0   |0|%%|%d|", (int)getpid());
  CHECK(strcmp(text, expected) == 0);
  CHECK_EQUAL(n, strlen(expected));
  CHECK_EQUAL(omp_capture_affinity(text, 4, NULL), n);
  CHECK(strcmp(text, "000") == 0);
#pragma omp parallel num_threads(3)
  {
    char mine[100], right[100];
    omp_capture_affinity(mine, sizeof mine, "%{thread_num} %{num_threads} %a %{ancestor_tnum}");
    snprintf(right, sizeof right, "%d %d 0 0", omp_get_thread_num(), omp_get_num_threads());
    CHECK(strcmp(mine, right) == 0);
  }
  return check_end();
}

// OMP_STACKSIZE: the runtime's threads can really use so much. Argument: megabytes, of which all but a little are touched.
// run kilobytes: OMP_STACKSIZE=20480 -- 20
// run megabytes: OMP_STACKSIZE=64M -- 64
// run lower_case: OMP_STACKSIZE='32 m' -- 32
// run bytes: OMP_STACKSIZE=33554432B -- 32
// run gigabyte: OMP_STACKSIZE=1G -- 200
#include "check.h"

static long touch(long kilobytes) {
  volatile char page[16 << 10];
  page[0] = 1;
  page[sizeof page - 1] = 2;
  long below = kilobytes > 16 ? touch(kilobytes - 16) : 0;
  return below + page[0] + page[sizeof page - 1];
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  long kilobytes = (atol(argv[1]) << 10) - 512;
  int members = 0;
#pragma omp parallel num_threads(3)
  {
    // The initial thread's stack is the system's affair.
    if (omp_get_thread_num() > 0) CHECK(touch(kilobytes) > 0);
    add_one(&members);
  }
  CHECK_EQUAL(members, 3);
  return check_end();
}

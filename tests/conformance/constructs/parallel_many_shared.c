// A region that uses 70 shared variables: clang passes each as an argument of its own to the outlined function, gcc
// all of them in one structure. They are checked and changed by one thread each.
#include "check.h"

#define VARIABLES(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) \
  X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) \
  X(28) X(29) X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) \
  X(42) X(43) X(44) X(45) X(46) X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) \
  X(56) X(57) X(58) X(59) X(60) X(61) X(62) X(63) X(64) X(65) X(66) X(67) X(68) X(69)

int main(void) {
#define DECLARE(i) long v##i = i * 1000003L;
  VARIABLES(DECLARE)
  int members = 0;
#pragma omp parallel
  {
    add_one(&members);
#define SEEN(i) CHECK_EQUAL(v##i, i * 1000003L);
    VARIABLES(SEEN)
#pragma omp barrier
#define CHANGE(i) \
  if (i % omp_get_num_threads() == omp_get_thread_num()) v##i += 1;
    VARIABLES(CHANGE)
  }
#define CHANGED(i) CHECK_EQUAL(v##i, i * 1000003L + 1);
  VARIABLES(CHANGED)
  CHECK_EQUAL(members, omp_get_max_threads());

  // The same as one team's serialised region, which takes another way through the runtime.
#pragma omp parallel if (0)
  {
    VARIABLES(CHANGED)
    VARIABLES(CHANGE)
  }
#define CHANGED_TWICE(i) CHECK_EQUAL(v##i, i * 1000003L + 2);
  VARIABLES(CHANGED_TWICE)
  return check_end();
}

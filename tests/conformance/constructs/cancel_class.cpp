// Cancelled tasks and constructs with private objects: whatever was constructed is destroyed.
// run on: OMP_CANCELLATION=true
// run off: OMP_CANCELLATION=false
// peer clang.on: libomp 19 does not leave a cancelled region of one thread
#include "check.h"

static int alive;

struct Thing {
  int* memory;
  Thing() : memory(new int(1)) { add_one(&alive); }
  Thing(const Thing& other) : memory(new int(*other.memory + 1)) { add_one(&alive); }
  Thing& operator=(const Thing&) = default;
  ~Thing() {
    delete memory;
    __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  }
};

int main() {
  int n = omp_get_max_threads();
  for (int round = 0; round < 20; ++round) {
    int ran = 0;
    {
      Thing thing;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
      for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(thing) shared(ran)
        {
          Thing local(thing);
          CHECK_EQUAL(*local.memory, *thing.memory + 1);
          int mine = add_one(&ran);
#pragma omp cancel taskgroup if (mine == 10)
        }
      }
    }
    CHECK_EQUAL(alive, 0);
    CHECK(ran >= 10 && ran <= 100);
    if (!omp_get_cancellation()) CHECK_EQUAL(ran, 100);
    {
      Thing thing;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop firstprivate(thing) grainsize(1)
      for (int i = 0; i < 60; ++i) {
        Thing local(thing);
#pragma omp cancel taskgroup if (i == 20)
      }
    }
    CHECK_EQUAL(alive, 0);
    {
      Thing thing;
#pragma omp parallel firstprivate(thing)
      {
        Thing local(thing);
#pragma omp cancel parallel if (omp_get_thread_num() == round % n)
#pragma omp barrier
        Thing late(local);
      }
    }
    CHECK_EQUAL(alive, 0);
  }
  return check_end();
}

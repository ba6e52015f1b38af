// C++: threadprivate objects with constructors are made for each thread that uses them; firstprivate, copyin and
// copyprivate call the copy functions; every object made is destroyed.
// peer clang: libomp 19 loses lastprivate where the last chunk of a dynamic loop is stolen
#include "check.h"

static int alive = 0;

struct Object {
  int value;
  explicit Object(int v = 3) : value(v) { add_one(&alive); }
  Object(const Object &other) : value(other.value) { add_one(&alive); }
  Object &operator=(const Object &other) = default;
  ~Object() { __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST); }
};

extern Object object;  // gcc wants the directive before the definition, whose constructor uses the variable
#pragma omp threadprivate(object)
Object object(42);

int main() {
#pragma omp parallel
  {
    CHECK_EQUAL(object.value, 42);
    object.value = omp_get_thread_num();
  }
#pragma omp parallel
  CHECK_EQUAL(object.value, omp_get_thread_num());
  object.value = 1234;
#pragma omp parallel copyin(object)
  CHECK_EQUAL(object.value, 1234);

  int before = value_of(&alive);
  Object mine(7), base(77), last;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel firstprivate(mine)
    {
      CHECK_EQUAL(mine.value, 7);
      mine.value = omp_get_thread_num();
      Object shared_out(0);
#pragma omp single copyprivate(shared_out, mine)
      {
        shared_out.value = 99;
        mine.value = 77;
      }
      CHECK_EQUAL(shared_out.value, 99);
      CHECK_EQUAL(mine.value, 77);
#pragma omp for schedule(dynamic) firstprivate(base) lastprivate(last)
      for (int i = 0; i < 50; ++i) last.value = i + base.value;
    }
    CHECK_EQUAL(last.value, 49 + 77);
    CHECK_EQUAL(mine.value, 7);
  }
  CHECK_EQUAL(value_of(&alive), before + 3);
  return check_end();
}

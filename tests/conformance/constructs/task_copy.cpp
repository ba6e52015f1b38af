// C++: firstprivate objects of a task are made by their copy constructor (the copy function of the task) and destroyed
// after it; also in undeferred tasks, taskloops, and when the constructor itself makes a task.
#include <string>
#include <vector>

#include "check.h"

static int alive = 0, copies = 0, from_constructor = 0;

struct Object {
  int value;
  Object *self;  // moved by bytes, this would be wrong
  explicit Object(int v) : value(v), self(this) { add_one(&alive); }
  Object(const Object &other) : value(other.value), self(this) {
    add_one(&alive);
    add_one(&copies);
  }
  ~Object() {
    CHECK(self == this);
    __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  }
};

struct Spawning {
  int value = 0;
  Spawning() = default;
  Spawning(const Spawning &other) : value(other.value) {
#pragma omp task
    add_one(&from_constructor);
  }
};

int main() {
  int runs = 0;
#pragma omp parallel
#pragma omp single
  {
    Object object(5);
    std::vector<std::string> words{"some", "longer text that does not fit into the object itself", "end"};
    for (int i = 0; i < 300; ++i) {
      object.value = i;
      words[0] = std::to_string(i);
#pragma omp task firstprivate(object, words) shared(runs)
      {
        CHECK(object.self == &object);
        CHECK_EQUAL(object.value, i);
        CHECK_EQUAL(std::stoi(words[0]), i);
        CHECK_EQUAL(words[1].size(), 52);
        words.clear();
        add_one(&runs);
      }
#pragma omp task firstprivate(object, words) shared(runs) if (0)
      {
        CHECK(object.self == &object);
        CHECK_EQUAL(object.value, i);
        words[0] = "changed";
        add_one(&runs);
      }
      CHECK_EQUAL(std::stoi(words[0]), i);
    }
    object.value = 77;
#pragma omp taskloop firstprivate(object, words) shared(runs) grainsize(3)
    for (int i = 0; i < 100; ++i) {
      CHECK(object.self == &object);
      CHECK_EQUAL(object.value, 77);
      CHECK_EQUAL(words.size(), 3);
      add_one(&runs);
    }
  }
  CHECK_EQUAL(runs, 700);
  CHECK_EQUAL(alive, 0);
  CHECK(copies >= 600 + 1);
#pragma omp parallel
#pragma omp single
  {
    Spawning spawning;
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(spawning)
      CHECK_EQUAL(spawning.value, 0);
    }
  }
  CHECK_EQUAL(from_constructor, 50);
  return check_end();
}

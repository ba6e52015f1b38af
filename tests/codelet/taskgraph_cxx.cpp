// Taskgraphs of tasks with C++ objects: what bytes cannot copy is not replayed, and right all the same.
#include <omp.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <einkorn/taskgraph.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

namespace {

int alive, copies;
struct Counted {
  const Counted* me = this;
  int value = 0;
  Counted() { count(1); }
  Counted(const Counted& c) : value(c.value) { count(1); }
  ~Counted() { count(-1); }
  static void count(int n) {
#pragma omp atomic
    alive += n;
    if (n < 0) return;
#pragma omp atomic
    ++copies;
  }
};
struct Plain {
  double x[9];
};

void objects() {
  ompx_taskgraph g = {"objects", nullptr}, p = {"plain", nullptr};
  int good = 0, before = alive;
  double sum = 0;
  for (int step = 0; step < 4; ++step) {
    Counted object;
    object.value = 7 + step;
    std::string text = "a text that is longer than what a string holds in itself";
    OMPX_TASKGRAPH(&g, 0, 0)
      for (int i = 0; i < 5; ++i) {
#pragma omp task firstprivate(object, text) shared(good)
        {
          text += "!";
          const bool right = object.value == 7 + step && object.me == &object && text.size() == 57;
#pragma omp atomic
          good += right;
        }
      }
    Plain plain = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    OMPX_TASKGRAPH(&p, 0, 0) {
#pragma omp task firstprivate(plain) shared(sum)
      for (double& x : plain.x) sum += x++;
    }
  }
  CHECK(good == 20 && alive == before && sum == 180);
  if (!ek_on()) return;
  // gcc copies all that is not a number or a pointer by a function of the program's.
#ifdef __clang__
  const char *why = ompx_taskgraph_why_not(&g, 0), *of_bytes = ompx_taskgraph_why_not(&p, 0);
  CHECK(why && strstr(why, "destructors") && !of_bytes);
#else
  for (ompx_taskgraph* of : {&g, &p}) {
    const char* why = ompx_taskgraph_why_not(of, 0);
    CHECK(why && strstr(why, "firstprivate structs"));
  }
#endif
  ompx_taskgraph_free(&g);
  ompx_taskgraph_free(&p);
}

}  // namespace

int main() {
  objects();
#pragma omp parallel
#pragma omp single
  objects();
  puts(ek_on() ? "ok" : "another runtime");
}

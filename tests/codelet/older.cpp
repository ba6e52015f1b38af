// A program made with this header, on a library that has ek_invoke() and no ek_invoke_at(): what is named for a cluster is done, and
// whose codelets are made knows of no cluster. The library is older_library.c, in the program itself.
#include <cstdio>
#include <cstdlib>

#include <einkorn/codelet.hpp>

namespace {

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

// Arguments that are counted: each copy of them must end.
struct Counted {
  static inline int living = 0;
  Counted() { ++living; }
  Counted(const Counted&) { ++living; }
  ~Counted() { --living; }
};

struct Done : einkorn::ThreadedProcedure {
  Done(int* result, const Counted&) { ++*result; }
};

}  // namespace

int main() {
  CHECK(ek_on());
  int done = 0, own = -1;
  einkorn::place<Done>(3, &done, Counted());
  CHECK(done == 1 && Counted::living == 0);
  einkorn::place<Done>(-1, &done, Counted());
  CHECK(done == 2 && Counted::living == 0);
  CHECK(ek_clusters(&own) == 1 && own == 0);
  ek_codelet c;
  ek_codelet_init(&c, [](ek_codelet*) {}, nullptr, 1, 1, 7);
  CHECK(c.internal_cluster == 0xffff && c.internal_line == __LINE__ - 1);
}

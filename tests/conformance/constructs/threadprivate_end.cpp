// Threadprivate objects of all threads are destroyed when their thread ends, and when the program does, as libomp does it.
// libgomp leaves its threads alone at the end of a program, and so do we in programs of gcc.
// compilers: clang
#include <sys/wait.h>
#include "check.h"

static int ends[2];

struct Object {
  char number = 0;
  Object() {}
  Object(const Object &other) : number(other.number) {}
  ~Object() {
    if (number && write(ends[1], &number, 1) != 1) abort();
  }
};
static Object object;
#pragma omp threadprivate(object)

static void use(int threads) {
#pragma omp parallel num_threads(threads)
  object.number = char('a' + omp_get_thread_num());
}

int main() {
  CHECK_EQUAL(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    use(4);
    CHECK_EQUAL(omp_pause_resource_all(omp_pause_hard), 0);
    char now[3] = "";
    CHECK_EQUAL(read(ends[0], now, 3), 3);
    CHECK_EQUAL(now[0] + now[1] + now[2], 'b' + 'c' + 'd');
    use(3);
    exit(check_failures != 0);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(pid, &status, 0), pid);
  CHECK_EQUAL(status, 0);
  char seen[4] = "";
  CHECK_EQUAL(read(ends[0], seen, 4), 3);
  CHECK_EQUAL(seen[0] + seen[1] + seen[2], 'a' + 'b' + 'c');
  return check_end();
}

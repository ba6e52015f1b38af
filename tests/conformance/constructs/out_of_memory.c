// Memory runs out (ulimit -v) while tasks are made that nobody has run yet: the program ends, and its last words say why.
// emulated: qemu takes no limit of memory for the program (setrlimit() says yes)
// peer gcc: libgomp 12 runs tasks at once when there are many
// peer clang: as libgomp
// threads: 2
#include <sys/resource.h>
#include <sys/wait.h>
#include "check.h"

static int made, ready;

static void limit_memory(long more) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld", &pages) != 1) exit(100);
  fclose(f);
  struct rlimit limit = {(rlim_t)(pages * sysconf(_SC_PAGESIZE) + more), RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) exit(101);
}

int main(void) {
  int ends[2];
  char words[1000] = "";
  CHECK_EQUAL(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    // The other thread is in user code all the time.
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      add_one(&ready);
      while (value_of(&ready)) nap_us(1000);
    } else {
      wait_until(&ready, 1);
      limit_memory(15L << 20);
      for (made = 0; made < 1000000; ++made) {
        struct { char bytes[400]; } data = {{1}};
#pragma omp task firstprivate(data)
        if (data.bytes[0] == 2) add_one(&ready);
      }
      set_to(&ready, 0);
    }
    exit(0);
  }
  close(ends[1]);
  size_t n = 0;
  for (ssize_t got; n < sizeof words - 1 && (got = read(ends[0], words + n, sizeof words - 1 - n)) > 0;) n += (size_t)got;
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  CHECK(strstr(words, "ut of memory") != NULL);
  if (check_failures) fprintf(stderr, "status %x: %s\n", (unsigned)status, words);
  return check_end();
}

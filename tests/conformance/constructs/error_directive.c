// The error directive at execution: a warning goes on, an error ends the program.
// compilers: gcc clang>=17
// stderr: (error directive encountered|user-directed warning): take care(.|\n)*(error directive encountered|user-directed error): this is the end
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

int main(void) {
  int after = 0;
#pragma omp error at(execution) severity(warning) message("take care")
  after = 1;
  CHECK_EQUAL(after, 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
#pragma omp error at(execution) severity(fatal) message("this is the end")
    _exit(0);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(status != 0);
  return check_end();
}

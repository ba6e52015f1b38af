// OMP_TARGET_OFFLOAD=mandatory without a device: a target region ends the program, in libgomp's words.
// compilers: gcc
// run mandatory: OMP_TARGET_OFFLOAD=mandatory
// stderr mandatory: libgomp: OMP_TARGET_OFFLOAD is set to MANDATORY, but
// peer gcc: libgomp 12 runs the region on the host, without a word
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

int main(void) {
  int ran = 0;
  const pid_t child = fork();
  if (child == 0) {
#pragma omp target map(tofrom : ran)
    ran = 1;
    _exit(0);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  return check_end();
}

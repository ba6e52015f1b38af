"""A file of programs, with what runs them."""
import pathlib

import bodies
import lifetimes

HERE = pathlib.Path(__file__).resolve().parent

MAIN = r"""
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static const struct { int number; case_function run; } cases[] = {%s};
static volatile int now, now_n;
static void died(int sig) {
  char text[80];
  int k = snprintf(text, sizeof text, "%%s %%d %%d\n", sig == SIGALRM || sig == SIGVTALRM ? "hang" : "crash", now, now_n);
  if (write(1, text, (size_t)k) < 0) _exit(4);
  _exit(3);
}
int main(int argc, char **argv) {
  int only = argc > 1 ? atoi(argv[1]) : -1, first = argc > 2 ? atoi(argv[2]) : -1, limit = argc > 3 ? atoi(argv[3]) : 0;
  signal(SIGALRM, died), signal(SIGVTALRM, died);
#ifndef __SANITIZE_ADDRESS__
  static char stack[65536];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, 0);
  struct sigaction action = {.sa_handler = died, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0), sigaction(SIGABRT, &action, 0), sigaction(SIGBUS, &action, 0), sigaction(SIGFPE, &action, 0), sigaction(SIGILL, &action, 0);
#endif
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int n = 1; n <= 4; n *= 2) {
      if ((only >= 0 && cases[c].number != only) || cases[c].number < first) continue;
      now = cases[c].number, now_n = n;
      if (limit) setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {limit, 0}}, 0);
      else alarm(30);
      sum_t out[4] = {0}, total = 0, all = 0;
#ifdef _OPENMP
      cases[c].run(n, out, &total);
#else
      for (serial_id = 0; serial_id < n; serial_id++) {
        own_first = serial_id, own_step = n, once = serial_id == 0;
        cases[c].run(n, out, &total);
      }
#endif
      for (int k = 0; k < n; k++) all = mix(all, out[k]);
      printf("%%d %%d %%llx %%llx\n", now, n, (unsigned long long)all, (unsigned long long)total);
      fflush(stdout);
    }
  printf("end\n");
  return 0;
}
"""


UNIT = 40  # programs a file


def is_csmith(number):
    """Every fourth file has csmith's programs."""
    return number // UNIT % 4 == 3


def text_of(seed, numbers):
    lines = [(HERE / "harness.h").read_text()]
    if any(map(is_csmith, numbers)):
        lines.append((HERE / "safe.h").read_text())
    structs = lifetimes.structs_of(seed)
    lines += [s.define() + ";" for s in structs]
    for number in numbers:
        lines += ["", *(bodies.program(seed, number) if is_csmith(number) else lifetimes.program(seed, number, structs))]
    return "\n".join(lines) + "\n" + MAIN % ", ".join(f"{{{n}, case_{n}}}" for n in numbers)


if __name__ == "__main__":
    import sys
    sys.stdout.write(text_of(int(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[3]))))

"""A file of programs, with what runs them."""
import pathlib
import re

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
      if (limit) setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {0, limit * 1000}}, 0);
      else alarm(20);
      sum_t out[4] = {0}, total = 0, all = 0;
#ifdef _OPENMP
      omp_set_max_active_levels(2);
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


UNIT = 80  # programs a file


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


ALONE = """
int main(void) {
  for (int n = 1; n <= 4; n *= 2) {
    sum_t out[4] = {0}, total = 0;
#ifdef _OPENMP
    case_%(number)d(n, out, &total);
#else
    for (serial_id = 0; serial_id < n; serial_id++) {
      own_first = serial_id, own_step = n, once = serial_id == 0;
      case_%(number)d(n, out, &total);
    }
#endif
    for (int k = 0; k < n; k++) printf("%%llx ", (unsigned long long)out[k]);
    printf("%%llx\\n", (unsigned long long)total);
  }
  return 0;
}
"""


def alone(seed, number):
    """One program with only what it needs of the harness: what cvise begins with."""
    pieces = (HERE / "harness.h").read_text().split("\n\n")
    if is_csmith(number):
        pieces += (HERE / "safe.h").read_text().split("\n\n")
    structs = lifetimes.structs_of(seed)
    pieces += [s.define() + ";" for s in structs]
    program = "\n".join(bodies.program(seed, number) if is_csmith(number) else lifetimes.program(seed, number, structs))
    text = program + ALONE % {"number": number}
    parts = []
    for piece in pieces:
        if "OF_TYPE(" in piece and "#define" not in piece or "SAFE_OF(int8_t" in piece:
            parts += piece.split("\n")
        else:
            parts.append(piece)
    kept, grown = [], True
    while grown:
        grown = False
        for part in parts:
            if part not in kept and needed(part, text + "\n".join(kept)):
                kept.append(part)
                grown = True
    return "\n".join(part for part in parts if part in kept) + "\n" + text


def needed(part, text):
    if part.lstrip("/* ").startswith("What the generated") or "#include" in part or "sum_t;" in part or "static int serial_id" in part:
        return True
    made = re.match(r"OF_TYPE\((\w+),", part)
    if made:
        return re.search(rf"\b[sg]et_{made[1]}\(", text) is not None
    made = re.match(r"SAFE_OF\((\w+),", part)
    if made:
        return re.search(rf"\bsafe_\w+_func_{made[1]}_", text) is not None
    part = part.replace("__attribute__((unused)) ", "")
    names = re.findall(r"^(?:struct|union|enum) (\w+) \{|^#define (\w+)|^static .*?(\w+)\(|^typedef .*?(\w+)(?:\)\(int\))?;|^static const char \*const (\w+)", part, re.M)
    return any(re.search(rf"\b{name}\b", text) for group in names for name in group if name)


if __name__ == "__main__":
    import sys
    sys.stdout.write(text_of(int(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[3]))))

#!/usr/bin/env python3
"""`einkorn cc` with the true codelet compiler: driver.py --build DIR. What is in a source beside its C (a byte order mark, __COUNTER__, other
built-in macros), and what happens when the compiler behind refuses some of what was made. Its words, files and signals: tests/cli/cc.py."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COMPILERS = ["gcc", "clang-19"]

PLAIN = """#include <stdio.h>
int main(void)
{
  int r = 0;
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < 10; i++) r += i;
  printf("%d\\n", r);
  return 0;
}
"""

# The counter in a region, behind a macro's name, in a condition, in a clause, in a function that becomes a procedure, in the arguments of a
# macro that would have to be replaced by what it stands for; and outside of them.
COUNTS = """#include <stdio.h>
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define UNIQUE JOIN(unique_, __COUNTER__)
#define SET(x, y) _Pragma("omp single") x = y
static int base = __COUNTER__;
static long fib(int n)
{
  long a = 0, b = 0, c = __COUNTER__;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b + 0 * c;
}
int main(void)
{
  int a = -1, b = -1, c = 0, d = -1, plain = 0;
  long f = 0;
#pragma omp parallel
#pragma omp single
  a = __COUNTER__;
#pragma omp parallel
  {
    int UNIQUE = 0;
#pragma omp barrier
#if __COUNTER__ == 4
#pragma omp atomic write
    b = 4;
#endif
  }
#pragma omp parallel num_threads(__COUNTER__ - 4) reduction(+ : c)
  c++;
#pragma omp parallel
  {
    SET(d, __COUNTER__);
  }
#pragma omp parallel
#pragma omp single
  f = fib(10);
#pragma omp parallel for reduction(+ : plain)
  for (int i = 0; i < 10; i++)
    plain += i;
  printf("%d %d %d %d %d %ld %d %d\\n", base, a, b, c, d, f, plain, __COUNTER__);
  return 0;
}
"""

BUILT_IN = """#include <stdio.h>
int main(void)
{
  int level = -1, line = -1;
  const char *time = 0, *base = 0, *file = 0;
#pragma omp parallel
#pragma omp single
  level = __INCLUDE_LEVEL__, line = __LINE__, time = __TIMESTAMP__, base = __BASE_FILE__, file = __FILE__;
  printf("%d %d %s %s %s %s %s\\n", level, line, time, base, file, __BASE_FILE__, __TIMESTAMP__);
  return 0;
}
"""

# What the codelets have of one() defines its label a second time.
REFUSED = """#include <stdio.h>
static int one(void)
{
  int s = 0;
#pragma omp parallel reduction(+ : s)
  {
    __asm__ volatile("here_it_is_%s: nop");
    s += 1;
  }
  return s;
}
static int two(void)
{
  int s = 0;
#pragma omp parallel reduction(+ : s)
  s += 1;
  return s;
}
int %s(void)
{
  printf("%%d %%d\\n", one() > 0, two() > 0);
  return 0;
}
"""
REASON = r"stays OpenMP's: (gcc|clang-19) refuses its codelets \(.*symbol.*already defined\); please report it"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    einkorn = parser.parse_args().build.resolve() / "bin/einkorn"
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def write(file, text):
            (folder / file).write_bytes(text.encode() if isinstance(text, str) else text)

        def cc(*words, env=None):
            return subprocess.run([einkorn, "cc", "--explain", *words], cwd=folder, capture_output=True, text=True, env={**os.environ, **(env or {})})

        def prints(threads="2"):
            return subprocess.run([einkorn, "run", "--", "./app"], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "OMP_NUM_THREADS": threads}).stdout

        def expect(what, done, status=0, says=(), not_says=("report it",)):
            if done.returncode != status:
                wrong.append(f"{what}: exit status {done.returncode}, {done.stderr}")
            wrong.extend(f"{what}: does not say {s}: {done.stderr}" for s in says if not re.search(s, done.stderr))
            wrong.extend(f"{what}: says {s}: {done.stderr}" for s in not_says if re.search(s, done.stderr))

        def same(what, got, wanted):
            if got != wanted:
                wrong.append(f"{what}: {got!r}, not {wanted!r}")

        for compiler in COMPILERS:
            own = ["--compiler", compiler]
            write("bom.c", b"\xef\xbb\xbf" + PLAIN.encode())
            expect(f"{compiler}: a byte order mark", cc(*own, "-fopenmp", "bom.c", "-o", "app"), says=["translated 1 of 1"])
            same(f"{compiler}: a byte order mark", prints(), "45\n")
            write("only_bom.c", b"\xef\xbb\xbfint main(void) { return 0; }\n")
            expect(f"{compiler}: a mark and no region", cc(*own, "-fopenmp", "only_bom.c", "-o", "app"), says=["translated 0 of 0"])

            write("counts.c", COUNTS)
            subprocess.run([compiler, "-fopenmp", "counts.c", "-o", "app"], cwd=folder, check=True)
            plain = prints()
            done = cc(*own, "-fopenmp", "counts.c", "-o", "app")
            expect(f"{compiler}: __COUNTER__", done, says=["it counts with __COUNTER__", r"counts.c:\d+: region of main\(\): translated"])
            for threads in ["1", "2", "4"]:
                same(f"{compiler}: __COUNTER__, {threads} threads", prints(threads), plain)
            same("__COUNTER__ in regions that are left", len(re.findall("it counts with __COUNTER__", done.stderr)) >= 3, True)

            for file in ["built_in.c", "sub/built_in.c", str(folder / "built_in.c")]:
                (folder / "sub").mkdir(exist_ok=True)
                write(file, BUILT_IN)
                os.utime(folder / file, (1e9, 1e9))
                subprocess.run([compiler, "-fopenmp", file, "-o", "app"], cwd=folder, check=True)
                plain = prints()
                expect(f"{compiler}: built-in macros", cc(*own, "-fopenmp", file, "-o", "app"),
                       says=["translated 1 of 1"] if compiler == "gcc" else ["it names __TIMESTAMP__"])
                same(f"{compiler}: built-in macros of {file}", prints(), plain)

            write("refused.c", REFUSED % ("a", "main"))
            done = cc(*own, "-fopenmp", "refused.c", "-o", "app")
            expect(f"{compiler}: a region that is refused", done, not_says=[],
                   says=[r"refuses the codelets one_5 of refused.c, whose region was left", rf"refused.c:5: region of one\(\): {REASON}",
                         r"refused.c:15: region of two\(\): translated", "translated 1 of 2 regions"])
            same(f"{compiler}: a region that is refused", prints(), "1 1\n")
            write("other.c", REFUSED % ("b", "other"))
            write("plain.c", PLAIN.replace("main", "plain"))
            done = cc(*own, "-fopenmp", "refused.c", "other.c", "plain.c", "-o", "app")
            expect(f"{compiler}: two sources of three", done, not_says=["without codelets"],
                   says=[rf"{name}.c:5: region of one\(\): {REASON}" for name in ["refused", "other"]] + ["plain.c:5: region of plain.*: translated"])
            same(f"{compiler}: two sources of three", prints(), "1 1\n")
            write("alone.c", re.sub(r"static int two.*?\n}\n", "", REFUSED % ("c", "main"), flags=re.S).replace("two()", "one()"))
            done = cc(*own, "-fopenmp", "alone.c", "-o", "app")
            expect(f"{compiler}: all that there is is refused", done, not_says=[],
                   says=["refuses what was made of alone.c, which was compiled as it is", rf"alone.c:5: .*{REASON}", "translated 0 of 1"])
            small = folder / "small"
            small.mkdir(exist_ok=True)
            for size in [4, 8, 12, 16, 32]:
                if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", small], capture_output=True).returncode:
                    break  # nobody but root can have a small file system
                try:
                    done = cc(*own, "-fopenmp", "-pipe", "-c", "bom.c", "-o", "full.o", env={"TMPDIR": str(small)})
                    same(f"{compiler}: {size} KiB for temporary files, afterwards", list(small.iterdir()), [])
                finally:
                    subprocess.run(["umount", small], check=True)
                expect(f"{compiler}: {size} KiB for temporary files", done,
                       says=[rf"(?s)(translated 1 of 1|einkorn: {small} is full: bom.c is compiled as it is.*bom.c: stays OpenMP's: {small} is full)"])
            expect(f"{compiler}: strict", cc("--strict", *own, "-fopenmp", "refused.c", "-o", "app"), 1, not_says=[], says=[REASON])
    print("\n".join(wrong) or "all as it should be")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

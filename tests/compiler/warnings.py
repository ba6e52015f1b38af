#!/usr/bin/env python3
"""No flag that asks for warnings makes a compiler refuse codelets: warnings.py --build DIR [--each] [--compiler gcc|clang-19].

 - Each of gcc's warnings, by its own list, stands in einkorn/generated.h.
 - Programs are compiled with all warnings at once, as they are and with their codelets: these add none.
 - Flags one by one with -Werror: a file that has no warning of that flag is compiled with its codelets. --each: all that gcc knows; without
   it some of each kind.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
STANDARDS = ["-std=gnu17", "-std=c99", "-std=c11"]
# What a compiler says of a function as a whole, which has a call more, or without naming a place; and of macros that had to be replaced by what they stand for: the
# text that is read as C is then another. There einkorn cc leaves the region to OpenMP.
OF_THE_TEXT = {"-Wstrict-overflow", "-Wframe-larger-than", "-Wframe-larger-than=", "-Wstack-usage=", "-Wtraditional", "-Wc90-c99-compat", "-Wtraditional-conversion",
               "-Wlong-long", "-Wunsafe-buffer-usage"}
# They say nothing of the text.
NO_WARNINGS = {"-Wall", "-Wextra", "-Wpragmas", "-Wfatal-errors", "-Werror", "-Wsystem-headers", "-Wimport", "-Wmudflap"}
SOME = ["-Wc++-compat", "-Wswitch-default", "-Wempty-body", "-Wdangling-else", "-Wundef", "-Wredundant-decls", "-Wnested-externs", "-Wextra",
        "-Wstrict-prototypes", "-Wmissing-declarations", "-Wcast-qual", "-Wpadded", "-Wlarger-than=16", "-Wunused-macros", "-Wtraditional",
        "-Wframe-larger-than=64", "-Wdeclaration-after-statement", "-Wunused", "-Wpedantic", "-pedantic-errors", "-Wsystem-headers"]
SOME_OF_CLANG = ["-Weverything", "-Wswitch-default", "-Wextra-semi-stmt", "-Wmissing-variable-declarations", "-Wused-but-marked-unused", "-Wcomma",
                 "-Wunreachable-code", "-Wpadded", "-Wunsafe-buffer-usage", "-pedantic-errors", "-Wreserved-identifier", "-Wunused-macros"]

# Warnings of its own: none but those of style that every program has, which are asked for first.
CLEAN = """#include <stdio.h>
#define TWICE(x) (2 * (x))
static long fib(int n)
{
  long a = 0, b = 0;
  if (n < 2)
    return n;
  #pragma omp task shared(a)
  a = fib(n - 1);
  #pragma omp task shared(b)
  b = fib(n - 2);
  #pragma omp taskwait
  return a + b;
}
int main(void)
{
  long f = 0, s = 0;
  #pragma omp parallel
  #pragma omp single
  f = fib(16);
  #pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 10; i++)
    s += i;
  if (s > 1)
    #pragma omp parallel
    {
      int mine = 1;
      #pragma omp barrier
      #pragma omp critical
      s += TWICE(mine);
    }
  printf("%ld %ld\\n", f, s);
  return 0;
}
"""


def run(words, cwd):
    return subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True)


def gcc_warnings():
    """All of gcc's for C, as they are given on a command line."""
    flags = []
    for how in ["warnings", "c,warnings"]:
        for line in run(["gcc", "-Q", f"--help={how}"], "/").stdout.splitlines():
            if (found := re.match(r"\s+(-W[^\s\[<]+)", line)) and "available in" not in line:
                flag = found[1]
                if flag.endswith("="):
                    flag += "global" if flag == "-Wshadow=" else "16"
                if flag.rstrip("=16") not in NO_WARNINGS and flag not in flags:
                    flags.append(flag)
    known = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.c").write_text("int x;\n")
        for flag in flags:
            done = run(["gcc", flag, "-fsyntax-only", "a.c"], folder)
            if done.returncode == 0 and not re.search("valid for|unrecognized|not valid|argument", done.stderr):
                known.append(flag)
    return known


def missing_in_header(flags):
    """Those that a pragma can ignore, and the header does not."""
    header = (ROOT / "include/einkorn/generated.h").read_text()
    missing = []
    for flag in flags:
        name = re.sub(r"=\d+$", "=", flag)
        ignored = subprocess.run(["gcc", "-Wpragmas", "-fsyntax-only", "-x", "c", "-"], input=f'#pragma GCC diagnostic ignored "{name}"\nint x;\n',
                                 capture_output=True, text=True)
        if not ignored.stderr and not any(f'"{n}"' in header for n in (name, name.rstrip("="))) and not name.startswith("-Wno-"):
            missing.append(name)
    return missing


def said(words, source, cwd):
    """What a compiler warns of, and how often."""
    done = run([*words, source], cwd)
    found = collections.Counter()
    for line in done.stderr.splitlines():
        if match := re.search(r": (?:warning|error): .*\[(-W[^\]]*)\]$", line):
            found[match[1].split(",")[-1]] += 1
    return found, done


def added(build, compiler, standard, flags, source, folder):
    """Warnings of which a program has more with its codelets."""
    made = run([build / "bin/einkorn", "codelets", source.name, "-o", folder / "made", "--", standard, "-fopenmp"], source.parent)
    if made.returncode != 0:
        return [f"{source.name}: {made.stderr}"]
    words = [compiler, standard, "-fopenmp", "-O2", "-c", "-o", "/dev/null", "-isystem", ROOT / "include", "-iquote", source.parent, *flags]
    before, plain = said(words, source.name, source.parent)
    after, with_codelets = said(words, folder / "made" / source.name, source.parent)
    if with_codelets.returncode != 0 and plain.returncode == 0:
        return [f"{source.name}: {with_codelets.stderr[:300]}"]
    return [f"{source.name}, {compiler} {standard}: {flag}, {count} for {before[flag]}" for flag, count in after.items()
            if count > before[flag] and flag not in OF_THE_TEXT]


def refused(build, compiler, flag, folder):
    """With -Werror: why einkorn cc compiles without codelets what the compiler accepts."""
    words = ["-O1", "-fopenmp", flag, "-Werror", "-c", "clean.c", "-o", "clean.o"]
    if run([compiler, *words], folder).returncode != 0:
        return None
    done = run([build / "bin/einkorn", "cc", "--compiler", compiler, *words], folder)
    if done.returncode == 0 and re.sub(r"=\d+$", "=", flag) in OF_THE_TEXT:
        return ""
    return f"{compiler} {flag}: {done.stderr.splitlines()[0][:300]}" if done.returncode != 0 or done.stderr else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--compiler", choices=["gcc", "clang-19"])
    given = parser.parse_args()
    build, wrong = given.build.resolve(), []
    compilers = [given.compiler] if given.compiler else ["gcc", "clang-19"]
    of_gcc = gcc_warnings()
    if len(of_gcc) < 200:
        sys.exit(f"gcc's list of warnings is not understood: {len(of_gcc)} of them")
    wrong += [f"{flag} is not in einkorn/generated.h" for flag in missing_in_header(of_gcc)]
    programs = sorted((HERE / "programs").glob("*.c"))
    if not given.each:
        programs = [p for p in programs if p.stem in ("asked", "clauses", "mixed", "procedures")]
    asked = accepted = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "clean.c").write_text(CLEAN)
        for compiler in compilers:
            everything = ["-Weverything"] if compiler != "gcc" else [f for f in of_gcc if "analyzer" not in f]
            for standard in STANDARDS if given.each else STANDARDS[:1]:
                for program in programs:
                    wrong += added(build, compiler, standard, everything, program, folder)
            flags = SOME if compiler == "gcc" else SOME_OF_CLANG
            for flag in dict.fromkeys([*flags, *of_gcc] if given.each else flags):
                why = refused(build, compiler, flag, folder)
                asked += 1
                accepted += why is not None
                wrong += [why] if why else []
    if accepted < asked / 3:
        wrong.append(f"of {asked} flags the program as it is is accepted with {accepted} only")
    print("\n".join(wrong) or f"{len(programs)} programs, {asked} flags one by one, {accepted} of them with codelets")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

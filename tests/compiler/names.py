#!/usr/bin/env python3
"""Macros of a program that have the names of what its codelets need: names.py TOOL HEADERS.

Every name in einkorn/codelet.h that is neither reserved for Einkorn nor C's is made a macro, and so are the short names that the
compiler of codelets likes to give. A program with one region of each kind then has to be translated as if there were none."""
import pathlib
import re
import subprocess
import sys
import tempfile

KEYWORDS = set("auto break case char const continue default do double else enum extern float for goto if inline int long register "
               "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while".split())
# Of the preprocessor and of the C library, which a program may not make macros of; what stands in pragmas.
NOT_MACROS = set("define defined elif endif ifdef ifndef include pragma GCC system_header errno ENOSYS NULL omp xffff h stddef stdint "
                 "names_begin names_end push_macro pop_macro".split())
# Standard names, which a program may define, but not as a number: what is generated uses them.
NOT_MACROS |= set("int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t size_t omp_get_max_threads omp_get_proc_bind "
                  "omp_get_thread_num omp_proc_bind_false".split())
SHORT = ["me", "F", "I", "result", "c1", "c2", "c3"]
PROGRAM = """
struct node { struct node* left; long weight; };
static long fib(int depth) {
  long one, two;
  if (depth < 2) return depth;
#pragma omp task shared(one)
  one = fib(depth - 1);
#pragma omp task shared(two)
  two = fib(depth - 2);
#pragma omp taskwait
  return one + two;
}
int main(void) {
  long sum = 0, most = 0, hist[4] = {0}, before = 0, scanned[8], last = 0, value = 0;
#pragma omp parallel reduction(+ : sum)
  {
    long own_part[2];
    own_part[0] = 1;
#pragma omp single
    value = 5;
#pragma omp for nowait
    for (int k = 0; k < 8; k++) own_part[0]++;
#pragma omp barrier
#pragma omp masked
    last = own_part[0] > 0;
    sum += own_part[0] > 0;
  }
#pragma omp parallel for reduction(+ : hist) reduction(max : most) lastprivate(last)
  for (int k = 0; k < 8; k++) {
    hist[k % 4] += k;
    if (k > most) most = k;
    last = k;
  }
#pragma omp parallel for reduction(inscan, + : before)
  for (int k = 0; k < 8; k++) {
    before += k;
#pragma omp scan inclusive(before)
    scanned[k] = before;
  }
#pragma omp parallel sections
  {
#pragma omp section
    value++;
  }
#pragma omp parallel
#pragma omp single
  value += fib(5);
  return !(sum > 0 && most == 7 && last == 7 && hist[3] == 10 && scanned[7] == 28 && value == 11);
}
"""


def names_of(header):
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.DOTALL)
    text = re.sub(r'"(\\.|[^"])*"', "", re.sub(r"//.*", "", text))
    found = set(re.findall(r"[A-Za-z_]\w*", text)) - KEYWORDS - NOT_MACROS
    return sorted(name for name in found if not re.match(r"ek_|EK_|EINKORN_|_", name))


def said(tool, source, target, folder):
    explain = folder / "explain"
    done = subprocess.run([tool, source, "-o", folder / "out.c", "--target", target, "--explain", explain, "--", "-fopenmp", "-std=gnu11"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr}"
    return "".join(re.sub(r"^[^ ]* |\(.*:\d+\)", "", line) + "\n" for line in explain.read_text().splitlines())


def main():
    tool, headers = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    words = set(re.findall(r"\w+", PROGRAM))
    names = [name for name in names_of(headers / "einkorn" / "codelet.h") + SHORT if name not in words]
    wrong = 0
    for target in "tp", "complexes":
        wrong += wrong_with(tool, headers, names, target)
    print(f"{len(names)} names, {wrong} differences")
    sys.exit(1 if wrong or len(names) < 40 else 0)


def wrong_with(tool, headers, names, target):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source = folder / "a.c"
        source.write_text("\n" * 2 + PROGRAM)
        expected = said(tool, source, target, folder)
        if re.search("region of .*: stays OpenMP's", expected) or "region" not in expected:
            print(f"--target {target} without any macro:\n{expected}")
            wrong += 1
        for part in [names] if "--each" not in sys.argv else [[name] for name in names]:
            source.write_text("#include <stdio.h>\n" + "".join(f"#define {name} 6\n" for name in part) + "#line 3\n" + PROGRAM)
            got = said(tool, source, target, folder)
            for compiler in ("gcc", "clang-19"):
                if got != expected:
                    break
                done = subprocess.run([compiler, "-fopenmp", "-Wall", "-Wextra", "-Werror", f"-I{headers}", folder / "out.c", "-o",
                                       folder / "a", "-lm"], capture_output=True, text=True)
                if done.returncode != 0:
                    got = f"{compiler}: {done.stderr}"
            if got != expected:
                print(f"--target {target} with macros {', '.join(part)}:\n{got}")
                wrong += 1
    return wrong


if __name__ == "__main__":
    main()

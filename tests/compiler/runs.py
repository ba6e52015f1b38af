#!/usr/bin/env python3
"""Runs of tasks with depend, which `einkorn cc` makes graphs of (docs/codelets.md): random programs, whose result is that of the same
source without OpenMP, and wrong copies of the proofs, each of which has to spoil programs/runs.c.

  runs.py --build build                                what ./dev test runs
  runs.py --build build --programs 2000 --seed 7       more programs
  runs.py --build build --broken build/bin/einkorn-codelets-broken
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
PROOFS = ["makes_tasks_alone", "is_steered_by_values", "ends_with_its_counters", "repeats_its_clauses", "is_waited_for", "compares_what_steers",
          "compares_what_is_saved", "compares_what_is_shared"]
BEGIN = """#include <stdint.h>
#include <stdio.h>
enum { N = 24 };
static uint64_t a[N][N], b[N], *c = b;
static int bound = 6;
static void mix(uint64_t *to, uint64_t x, uint64_t y) {
  for (volatile int i = 0; i < (int)(x & 127); i++) continue;
  *to = (*to ^ x) * 1099511628211u + y;
}
static uint64_t sum(void) {
  uint64_t s = 0;
  for (int i = 0; i < N; i++) {
    s = s * 31 + b[i];
    for (int j = 0; j < N; j++) s = s * 31 + a[i][j];
  }
  return s;
}
"""


class Program:
    """A source. Every index is below N: names of counters go from 1 to 11 at most, offsets to 6."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.functions = []
        self.calls = []

    def index(self, counters):
        r = self.r
        terms = [r.choice(counters)] if counters and r.random() < 0.9 else []
        if len(counters) > 1 and r.random() < 0.25:
            terms = [f"{r.choice(counters)} % 5", r.choice(counters)]
        terms.append(str(r.randrange(4)))
        if r.random() < 0.2:
            terms.append("k")
        return " + ".join(terms)

    def item(self, counters):
        """(what depend names, the element)"""
        r = self.r
        kind = r.randrange(5)
        if kind == 0:
            return (f"a[{self.index(counters)}][{self.index(counters)}]",) * 2
        if kind == 1:
            return (f"p[{self.index(counters)}]",) * 2
        if kind == 2:
            at = self.index(counters)
            return f"b[{at} : 1]", f"b[{at}]"
        if kind == 3:
            return (f"rows[{self.index(counters)}][{self.index(counters)}]",) * 2
        return "x", "x"

    def task(self, counters, indent):
        r = self.r
        out, *ins = [self.item(counters) for _ in range(r.randrange(1, 4))]
        clauses = [f"depend(inout : {out[0]})"]
        for name, _ in ins:
            clauses.append(f"depend(in : {name})")
        if any("x" == name for name, _ in [out, *ins]):
            clauses.append("shared(x)")
        first = [c for c in counters if r.random() < 0.5]
        if first:
            clauses.append(f"firstprivate({', '.join(first)})")
        r.shuffle(clauses)
        values = [element for _, element in ins] + [r.choice([*counters, "k", "n", "7"])]
        x, y = values[0], f"(uint64_t){values[-1]}"
        head = f"{indent}#pragma omp task {' '.join(clauses)}\n"
        return head.replace(indent + "#", "#") + f"{indent}mix(&{out[1]}, {x}, {y} + {len(values)});\n"

    def header(self, counter):
        r = self.r
        bound = r.choice(["n", "n", "k + 3", "bound", "6"])
        if r.random() < 0.25:
            return f"for (int {counter} = {bound}; {counter} > 0; {counter}--)"
        step = r.choice(["++{}", "{}++", "{} += 2", "{0} = {0} + 1"]).format(counter)
        if r.random() < 0.3:
            return f"for (int {counter} = 1; {counter} <= {bound}; {step})" if not step.startswith(counter + " =") else f"for (int {counter} = 1; {counter} < {bound}; {counter}++)"
        return f"for (int {counter} = {r.randrange(3)}; {counter} < {bound}; {step.replace(f'{counter} = {counter} + 1', counter + '++')})"

    def statements(self, counters, depth, indent):
        r = self.r
        out = ""
        for _ in range(r.randrange(1, 3)):
            kind = r.random()
            if kind < 0.45 and depth < 3:
                counter = "ijl"[depth]
                out += f"{indent}{self.header(counter)} {{\n{self.statements([*counters, counter], depth + 1, indent + '  ')}{indent}}}\n"
            elif kind < 0.6 and counters:
                out += f"{indent}if ({r.choice(counters)} % 2 {r.choice(['==', '!='])} k % 2) {{\n{self.statements(counters, depth, indent + '  ')}{indent}}}\n"
            elif kind < 0.66:
                out += f"{indent}made++;\n"
            else:
                out += self.task(counters, indent)
        return out

    def function(self, number):
        r = self.r
        body = self.statements([], 0, "  ")
        if r.random() < 0.5:
            counter = "t"
            body = f"  for (int t = 0; t < {r.choice(['2', 'k', '3'])}; t++) {{\n{body}  }}\n"
        kind = r.randrange(4)
        wait = "#pragma omp taskwait\n"
        if kind == 0:
            body += wait
        elif kind == 1:
            body = f"#pragma omp taskgroup\n  {{\n{body}  }}\n"
        elif kind == 2:
            body = f"#pragma omp parallel\n#pragma omp single\n  {{\n{body}  }}\n"
        else:
            body = f"#pragma omp parallel\n#pragma omp master\n  {{\n{body}  made += k;\n{wait if r.random() < 0.5 else ''}  }}\n"
        self.functions.append(f"static uint64_t f{number}(int n, int k, uint64_t *p, uint64_t (*rows)[N]) {{\n  uint64_t x = (uint64_t)n;\n  int made = 0;\n{body}"
                              f"  return x * 3 + (uint64_t)made;\n}}\n")
        return kind in (2, 3)

    def text(self):
        r = self.r
        own = [self.function(number) for number in range(4)]
        calls = ""
        for _ in range(30):
            number = r.randrange(len(own))
            call = f"f{number}({r.choice([3, 5, 6])}, {r.randrange(3)}, {r.choice(['b', 'c', 'a[1]', 'a[9]'])}, {r.choice(['a', 'a + 2'])})"
            line = f"s = s * 7 + {call};"
            calls += f"  {line}\n" if own[number] else f"#pragma omp parallel\n#pragma omp single\n  {line}\n"
            if r.random() < 0.15:
                calls += f"  bound = {r.randrange(2, 7)};\n"
        return BEGIN + "".join(self.functions) + f"int main(void) {{\n  uint64_t s = 1;\n{calls}  printf(\"%llu %llu\\n\", (unsigned long long)s, (unsigned long long)sum());\n  return 0;\n}}\n"


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=120, **more)


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.graphs = self.left = 0

    def build(self, source, compiler, target, tool=None, environment=None):
        """(binary, what is wrong)"""
        out, binary, told = self.folder / "out.c", self.folder / f"{source.stem}-{compiler}", self.folder / "told"
        flags = ["-fopenmp", "-O2", "-std=gnu11", f"-I{ROOT}/include", f"-I{HERE}/programs"]
        done = run([tool or self.options.build / "bin/einkorn-codelets", source, "-o", out, "--target", target, "--compiler", compiler, "--explain", told, "--", *flags],
                   env={**os.environ, **(environment or {})})
        if done.returncode:
            return None, f"exit status {done.returncode}: {done.stderr}"
        self.graphs += len(re.findall(r": tasks of .*: a graph", told.read_text()))
        self.left += len(re.findall(r": tasks of .*: they are made anew", told.read_text()))
        done = run([compiler, *flags, "-w", out, "-o", binary])
        return (binary, None) if done.returncode == 0 else (None, done.stderr)

    def executed(self, binary, threads, codelets):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.options.build / "lib"), "OMP_NUM_THREADS": str(threads), "EINKORN_CODELETS": codelets}
        try:
            done = run([binary], env=environment)
        except subprocess.TimeoutExpired:
            return "hangs"
        return done.stdout if done.returncode == 0 else f"exit status {done.returncode}: {done.stdout}{done.stderr}"

    def random_program(self, seed):
        source = self.folder / f"p{seed}.c"
        source.write_text(Program(seed).text())
        serial = self.folder / f"p{seed}-serial"
        done = run(["gcc", "-O1", "-w", source, "-o", serial])
        if done.returncode:
            return [f"program {seed}: {done.stderr}"]
        wanted, wrong = run([serial]).stdout, []
        for compiler in self.options.compilers:
            target = "complexes" if seed % 4 == 3 else "tp"
            binary, problem = self.build(source, compiler, target)
            if problem:
                wrong.append(f"program {seed}, {compiler}, {target}: {problem}")
                continue
            for threads, codelets in [(1, "on"), (2, "on"), (4, "on"), (4, "off")] + ([(16, "on")] if seed % 5 == 0 else []):
                got = self.executed(binary, threads, codelets)
                if got != wanted:
                    wrong.append(f"program {seed}, {compiler}, {target}, {threads} threads, EINKORN_CODELETS={codelets}: {got.strip()} for {wanted.strip()}")
        if not wrong:
            for file in self.folder.glob(f"p{seed}*"):
                file.unlink()
        return wrong

    def wrong_copy(self, proof):
        """Is the program spoilt by it, in one of a few runs?"""
        source = HERE / "programs" / "runs.c"
        binary, problem = self.build(source, "gcc", "tp", self.options.broken, {"EINKORN_BREAK_PROOF": proof})
        if problem:
            return f"does not compile: {problem}"
        for threads in (1, 2, 4, 4, 4):
            got = self.executed(binary, threads, "on")
            if got:
                return None if proof else got
        return "not found" if proof else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=lambda t: pathlib.Path(t).resolve(), required=True)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compilers", type=lambda t: t.split(","), default=["gcc", "clang-19"])
    parser.add_argument("--broken", type=pathlib.Path, help="einkorn-codelets-broken: its wrong copies as well")
    parser.add_argument("--keep", type=pathlib.Path, help="programs that are wrong, there")
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        trial = Trial(options, folder)
        for seed in range(options.seed, options.seed + options.programs):
            wrong += trial.random_program(seed)
        counts = f"{options.programs} programs, {trial.graphs} runs replayed, {trial.left} made anew"
        if options.programs and not (trial.graphs and trial.left):
            wrong.append(f"the programs show nothing: {counts}")
        for proof in ["", *PROOFS] if options.broken else []:
            if problem := trial.wrong_copy(proof):
                wrong.append(f"{proof or 'no wrong copy'}: {problem}")
    for sentence in wrong:
        print(sentence)
    print(f"{counts}, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

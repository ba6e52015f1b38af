"""Hints: each has its effect in programs of both compilers, results stay what they were; wrong files are told of and change nothing.

Effects are read from recordings: which tasks ran at once, how many chunks a loop had, how many threads a region."""
import collections
import os
import pathlib
import re
import subprocess

from harness import CLANG, FIB, MACHINE, main
from hints_test import COMPILERS, HintsTest

EM_X86_64, EM_AARCH64 = 62, 183  # <elf.h>
# gcc 12.2 for Arm ends with an internal error on programs/sparselu.c (vect_transform_reduction).
GCC_O3 = "-O3 -fno-tree-loop-vectorize" if MACHINE == EM_AARCH64 else "-O3"

# Tasks of which some must not be cut off: one waits for an event, one follows another, one has a priority.
KINDS = r"""
#include <omp.h>
#include <stdio.h>
static int order = 0, at[3];
static void run(int i) {
  #pragma omp atomic capture
  at[i] = ++order;
}
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    omp_event_handle_t event;
    int token = 0;
    #pragma omp task detach(event)
    run(0);
    omp_fulfill_event(event);
    #pragma omp task depend(out : token)
    run(1);
    #pragma omp task depend(in : token)
    run(2);
    #pragma omp taskwait
  }
  printf("%d %d\n", order, at[1] < at[2]);
  return 0;
}
"""

LOOPS = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  long sum = 0;
  #pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    #pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; ++i) sum += i;

    #pragma omp for schedule(runtime)
    for (int i = 0; i < 1000; ++i) sum += i;

    #pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 999; ++i) sum += i;

    #pragma omp for schedule(monotonic: dynamic)
    for (int i = 0; i < 1000; ++i) sum += i;

    #pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < 1000; ++i) {
      #pragma omp ordered
      sum += i;
    }
  }
  #pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  printf("%ld\n", sum);
  return 0;
}
"""
LOOP_LINES = {8: 1000, 11: 1000, 14: 999, 17: 1000, 20: 1000, 26: 1000}  # of the directives: iterations

TASKLOOPS = r"""
#include <stdio.h>
int main(void) {
  long sum = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp taskloop shared(sum)
    for (int i = 0; i < 1000; ++i)
      #pragma omp atomic
      sum += i;
    #pragma omp taskloop grainsize(500) shared(sum)
    for (int i = 0; i < 1000; ++i)
      #pragma omp atomic
      sum += i;
  }
  printf("%ld\n", sum);
  return 0;
}
"""


# Both tasks of a call of fib() on one line.
TWICE = r"""
#include <stdio.h>
#define TASK(what) _Pragma("omp task shared(x, y)") what;
static long fib(int n) {
  long x = n, y = 0;
  if (n > 1) { TASK(x = fib(n - 1)) TASK(y = fib(n - 2)) }
  #pragma omp taskwait
  return x + y;
}
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  printf("%ld\n", fib(16));
  return 0;
}
"""

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "programs"


class Effects(HintsTest):
    def test_tasks_below_the_cut_off_run_at_once(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(FIB, "-g", compiler=compiler)
                plain, _, _ = self.grains()
                out, said, grains = self.grains("--hints", self.hints("task app.c:6 cutoff=4", "task app.c:8 cutoff=4"))
                self.assertEqual((out, said), (plain, []))
                tasks = [g for g in grains if g["kind"] == "task"]
                self.assertEqual(len(tasks), 3192)
                for task in tasks:
                    self.assertEqual(task["inlined"], "true" if int(task["depth"]) >= 4 else "false", task)
                self.assertEqual(self.einkorn("run", "--hints", "app.hints", "--", "./app").stdout, plain)

    def test_data_of_tasks_that_are_not_cut_off_stay_aligned(self):
        # With AVX they are read by instructions that end the program where they are not; elsewhere their address tells, where the
        # compiler leaves them with the task (clang).
        source = r"""
#include <stdint.h>
#include <stdio.h>
typedef double Four __attribute__((vector_size(32)));
static volatile int wrong;
static __thread Four sum;
AVX static void make(int i) {
  Four v = {i, i, i, i};
  #pragma omp task firstprivate(v)
  {
    sum += v;
    if (v[3] != i || !ALIGNED(&v)) wrong = 1;
  }
}
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  if (HAS_AVX)
    for (int i = 0; i < 1000; i++) make(i);
  puts(wrong ? "wrong" : "right");
  return 0;
}
"""
        words = ["-DAVX=", "-DHAS_AVX=1", "-DALIGNED(p)=((uintptr_t)(p)%_Alignof(Four)==0)"]
        if MACHINE == EM_X86_64:
            words = ['-DAVX=__attribute__((target("avx")))', '-DHAS_AVX=__builtin_cpu_supports("avx")', "-DALIGNED(p)=1"]
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(source, "-g", *words, compiler=compiler)
                done = self.einkorn("run", "--hints", self.hints("task app.c:9 cutoff=3"), "--", "./app")
                self.assertEqual((done.returncode, done.stdout, self.messages(done.stderr)), (0, "right\n", []))

    def test_what_waits_or_follows_is_not_cut_off(self):
        for compiler in ["gcc"]:
            self.compile(KINDS, "-g", compiler=compiler)
            out, _, grains = self.grains("--hints", self.hints("task app.c:15 cutoff=0", "task app.c:18 cutoff=0", "task app.c:20 cutoff=0"))
            self.assertEqual(out, "3 1\n")
            self.assertEqual([g["inlined"] for g in grains if g["kind"] == "task"], ["false"] * 3)

    def chunks(self, *lines, env=None):
        out, said, grains = self.grains(*(["--hints", self.hints(*lines)] if lines else []), env=env)
        self.assertEqual(out, str(5 * 499500 + 498501) + "\n")
        # gcc's loops are at the loop's own line, behind the directive.
        of = collections.Counter(int(g["line"]) for g in grains if g["kind"] == "chunk")
        return said, {line: of[line] + of[line + 1] for line in LOOP_LINES}

    def test_chunks(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(LOOPS, "-g", compiler=compiler)
                env = {"OMP_SCHEDULE": "static,10"}
                _, before = self.chunks(env=env)
                self.assertEqual(before, {8: 1000, 11: 100, 14: 333, 17: 1000, 20: 1000, 26: 100})
                at = {line: line if compiler == CLANG else line + 1 for line in LOOP_LINES}
                every = [f"loop app.c:{at[line]} schedule=dynamic,100" for line in LOOP_LINES]
                said, after = self.chunks(*every, env=env)
                self.assertEqual(after, {8: 10, 11: 10, 14: 333, 17: 1000, 20: 1000, 26: 10})
                self.assertEqual(len(said), 3, said)
                for line, why in [(14, "how large chunks are"), (17, "monotonic"), (20, "ordered clause")]:
                    self.assertTrue(any(f"app.c:{at[line]} " in s and why in s for s in said), (line, said))
                said, bold = self.chunks(*(line + " bold" for line in every), env=env)
                self.assertEqual((said, bold), ([], {8: 10, 11: 10, 14: 10, 17: 10, 20: 10, 26: 10}))
                said, guided = self.chunks(f"loop app.c:{at[8]} schedule=guided", f"loop app.c:{at[11]} schedule=guided,50", env=env)
                self.assertEqual(guided[8], 1000)
                self.assertLess(guided[11], 20)
                self.assertTrue(len(said) == 1 and "which schedule the loop has" in said[0], said)

    def test_variables_of_the_whole_program(self):
        """As the runtime shows them; what the user sets counts, also where it says the same by another name."""
        self.compile(FIB, "-g")
        self.hints("task app.c:6 cutoff=3", head="einkorn-hints 1\nset OMP_PROC_BIND=spread\nset OMP_PLACES={0}\nset OMP_WAIT_POLICY=passive\n"
                   "set EINKORN_SCHEDULE=domains\nset OMP_NUM_THREADS=3\nobject app\n")
        shown = lambda done: dict(re.findall(r"(\w+) = '([^']*)'", done.stderr))
        run = lambda **env: self.einkorn("run", "--hints", "app.hints", "--", "./app", env={"OMP_DISPLAY_ENV": "verbose", **env})
        done = run()
        self.assertEqual(done.stdout, "987\n")
        self.assertIn('"OMP_NUM_THREADS" is none of OMP_PROC_BIND, OMP_PLACES, OMP_WAIT_POLICY and EINKORN_SCHEDULE', done.stderr)
        said = shown(done)
        self.assertEqual((said["OMP_PROC_BIND"], said["OMP_WAIT_POLICY"], said["EINKORN_SCHEDULE"]), ("SPREAD", "PASSIVE", "domains"))
        done = run(GOMP_CPU_AFFINITY="0", KMP_BLOCKTIME="200ms", EINKORN_SCHEDULE="ws")
        for variable, value, other in (("OMP_PROC_BIND", "spread", "GOMP_CPU_AFFINITY"), ("OMP_PLACES", "{0}", "GOMP_CPU_AFFINITY"),
                                       ("OMP_WAIT_POLICY", "passive", "KMP_BLOCKTIME"), ("EINKORN_SCHEDULE", "domains", "EINKORN_SCHEDULE")):
            self.assertIn(f'"set {variable}={value}" is not applied: {other} is set', done.stderr)
        self.assertEqual(shown(done)["EINKORN_SCHEDULE"], "ws")
        self.hints(head="einkorn-hints 1\nset OMP_WAIT_POLICY=lazy\n")  # as of the variable itself
        done = run()
        self.assertEqual((done.returncode, done.stdout), (0, "987\n"))
        self.assertIn('hints: "set OMP_WAIT_POLICY=lazy" is not valid and is ignored', done.stderr)
        self.assertEqual(self.alone("app.hints").stdout, "987\n")
        self.hints(head="einkorn-hints 1\nset OMP_PROC_BIND=spread\n")  # by itself: a place for each hardware thread
        said = shown(run())
        self.assertEqual(said["OMP_PROC_BIND"], "SPREAD")
        self.assertRegex(said["OMP_PLACES"], r"^\{\d+\}")
        # Schedules that place their workers themselves are the user's word, too.
        for variable, value, message in (("EINKORN_AMM", "1x1", '"set OMP_PROC_BIND=spread" is not applied: EINKORN_AMM is set'),
                                         ("EINKORN_SCHEDULE", "codelets,amm=1x1", "how threads are bound is left to the schedule"),
                                         ("OMP_PROC_BIND_ALL", "close", '"set OMP_PROC_BIND=spread" is not applied: OMP_PROC_BIND is set')):
            done = run(**{variable: value})
            self.assertIn(message, done.stderr)
            self.assertEqual(shown(done)["OMP_PROC_BIND"].upper(), "CLOSE", variable)
        self.assertEqual(shown(run(OMP_PLACES=" "))["OMP_PROC_BIND"], "SPREAD")  # blank is not set

    def test_taskloops(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(TASKLOOPS, "-g", compiler=compiler)
                out, said, grains = self.grains("--hints", self.hints("taskloop app.c:8 grain=50", "taskloop app.c:12 grain=50"))
                self.assertEqual(out, "999000\n")
                pieces = collections.Counter(g["line"] for g in grains if g["kind"] == "task")
                self.assertEqual(sorted(pieces.values()), [2, 20])
                self.assertTrue(len(said) == 1 and "grainsize or num_tasks" in said[0], said)


class Builds(HintsTest):
    def build_id(self):
        notes = subprocess.run(["readelf", "-n", "app"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]

    def test_addresses_of_this_build_need_no_tool_and_no_lines(self):
        self.compile(FIB, "-s")
        self.compile(FIB, name="other")  # the same code, with names
        names = subprocess.run(["nm", "other"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        code = re.search(r"0*([0-9a-f]+) t fib\._omp_fn\.0", names)[1]
        self.hints(f"task fib at 0x{code} cutoff=0", head=f"einkorn-hints 1\nobject app {self.build_id()}\n")
        self.assertEqual(self.alone("app.hints").stderr, "")
        _, _, grains = self.grains(env={"EINKORN_HINTS": str(self.folder / "app.hints")})
        at_once = collections.Counter(g["inlined"] for g in grains if g["kind"] == "task")
        self.assertEqual(at_once, {"true": 1596, "false": 1596})

    def test_another_build_is_found_by_its_lines_or_named(self):
        self.compile(FIB, "-g")
        self.hints("task app.c:6 at 0x10 cutoff=0", "task app.c:8 at 0x20 cutoff=0", "task app.c:7 cutoff=0", "task fib at 0x30 cutoff=0",
                   head=f"einkorn-hints 1\nobject app {self.build_id()}\n")
        self.compile(FIB + "\n", "-g", "-O2")
        out, said, grains = self.grains("--hints", "app.hints")
        self.assertEqual(out, "987\n")
        self.assertTrue(all(g["inlined"] == "true" for g in grains if g["kind"] == "task"))
        self.assertEqual(len(said), 2, said)
        self.assertIn("a function's name alone", said[0])
        self.assertIn("another build than the one that the hints were made for: 3 of 4 found again", said[1])
        alone = self.alone("app.hints")
        self.assertEqual(alone.stdout, "987\n")
        self.assertIn("for another build of it", alone.stderr)
        self.compile(FIB, "-O2")  # no lines
        done = self.einkorn("run", "--hints", "app.hints", "--", "./app")
        self.assertEqual((done.returncode, done.stdout), (0, "987\n"))
        self.assertIn("no line information; compile it with -g", done.stderr)

    def test_a_line_with_two_tasks(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(TWICE, "-g", compiler=compiler)
                out, said, grains = self.grains("--hints", self.hints("task app.c:6 cutoff=0"))
                self.assertEqual(out, "987\n")
                self.assertTrue(all(g["inlined"] == "true" for g in grains if g["kind"] == "task"))
                self.assertEqual(len(said), 1, said)
                self.assertIn('line 3: app.c:6 is the place of more than one task (of a macro, or of a template): "cutoff=0" is for all', said[0])

    def constructs(self, grains):
        """What can be told by hints' effects, by line: of tasks, did all run at once? Of regions, how many threads were there?"""
        tasks, regions = collections.defaultdict(set), collections.defaultdict(set)
        for g in grains:
            line = f"{os.path.basename(g['file'])}:{g['line']}"
            if g["kind"] == "task" and g["has_depend"] == "false":
                tasks[line].add(g["inlined"])
            elif g["kind"] == "implicit":
                regions[line].add(g["ordinal"])
        return tasks, regions

    def test_nine_tenths_of_the_constructs_are_found_in_another_build(self):
        """By what the hints do there, and they are for lines of the first build."""
        places = followed = 0
        for name, size in {"sort": ["--size", "20000"], "sparselu": ["--size", "6", "--block", "8"], "heat": ["--size", "64", "--steps", "3"]}.items():
            source = (PROGRAMS / f"{name}.c").read_text()
            for compiler, flags in [("gcc", GCC_O3), ("gcc", "-O1"), (CLANG, "-O3")]:
                build = lambda flags: self.compile(source, "-g", *flags.split(), f"-I{PROGRAMS}", f"-I{PROGRAMS.parent / 'include'}", "-lm", compiler=compiler)
                build("-O2")
                tasks, regions = self.constructs(self.grains(arguments=size)[2])
                for place in [*tasks, *regions]:  # the directives', also where a function before ends at the address of the next one
                    self.assertIn("#pragma omp", source.splitlines()[int(place.split(":")[1]) - 1], (name, compiler, place))
                lines = [f"task {p} at {16 * k:#x} cutoff=0" for k, p in enumerate(tasks, 1)]
                lines += [f"region {p} at {16 * k:#x} threads=1 bold" for k, p in enumerate(regions, 1)]
                self.hints(*lines, head=f"einkorn-hints 1\nobject app {self.build_id()}\n")
                build(flags)
                out, _, grains = self.grains("--hints", "app.hints", arguments=size)
                self.assertIn("check=ok", out)
                tasks, regions = self.constructs(grains)
                places += len(tasks) + len(regions)
                followed += sum(v == {"true"} for v in tasks.values()) + sum(len(v) == 1 for v in regions.values())
        self.assertGreater(places, 30)
        self.assertGreaterEqual(followed, 0.9 * places, f"{followed} of {places}")

    def test_another_program(self):
        self.compile(FIB, "-g")
        self.hints("task app.c:6 at 0x10 cutoff=0", head="einkorn-hints 1\nobject solver 00ff\n")
        for done in [self.einkorn("run", "--hints", "app.hints", "--", "./app"), self.alone("app.hints")]:
            self.assertEqual((done.returncode, done.stdout), (0, "987\n"))
            self.assertIn("solver is not in this process", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)


class WrongFiles(HintsTest):
    def test_the_program_runs_as_without_them(self):
        self.compile(FIB)
        for head, told in [("", "it is empty"), ("einkorn-hints 9\n", "version 9"), ("\x7fELF", "it is no hints file"),
                           ("einkorn-hints 1\nobject app\ntask a.c:1 cutoff=x\n", ":3: cutoff=")]:
            with self.subTest(head=head):
                self.hints(head=head)
                for done in [self.einkorn("run", "--hints", "app.hints", "--", "./app"), self.alone("app.hints")]:
                    self.assertEqual((done.returncode, done.stdout), (0, "987\n"))
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                    self.assertIn(told, done.stderr)

    def test_many_wrong_lines_are_not_all_told(self):
        self.compile(FIB)
        self.hints(*["task"] * 100)
        done = self.alone("app.hints")
        self.assertEqual(len(done.stderr.splitlines()), 9, done.stderr)
        self.assertIn("92 further lines are ignored", done.stderr)

    def test_a_file_that_cannot_be_read(self):
        self.compile(FIB)
        self.assert_refused(self.einkorn("run", "--hints", "nope", "--", "./app"), 125, "--hints: nope", "No such file")
        done = self.alone("nope")
        self.assertEqual(done.stdout, "987\n")
        self.assertIn("there are no hints", done.stderr)
        os.mkfifo(self.folder / "pipe")
        self.assertEqual(self.alone("pipe").stdout, "987\n")

    def test_adaptive_makes_way_for_cut_offs(self):
        self.compile(FIB, "-g")
        done = self.einkorn("run", "--schedule", "ws-adaptive", "--hints", self.hints("task app.c:6 cutoff=2"), "--", "./app")
        self.assertEqual(done.stdout, "987\n")
        self.assertIn("ws-adaptive", done.stderr)


if __name__ == "__main__":
    main()

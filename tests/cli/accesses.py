"""The third recording level: memory accesses of programs compiled with -fsanitize=thread, by gcc and by clang."""
import csv
import io
import json
import subprocess

from harness import BUILD, CLANG, CliTest, HELLO, TASKS, main

CLANG_HOOKS = ["-fsanitize=thread", "-fno-sanitize-link-runtime", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm",
               "-tsan-instrument-read-before-write", f"-L{BUILD}/lib", "-leinkorn-accesses"]

# Four tasks: each loads 250 doubles of one array and stores them to another, of 64-byte lines, and loads the two pointers.
SCALE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { kEach = 250, kTasks = 4 };
struct { double *from, *to; } __attribute__((aligned(64))) arrays;
__attribute__((unused)) static void scale(int first) {
  const double *from = arrays.from;
  double *to = arrays.to;
  for (int i = first; i < first + kEach; ++i) to[i] = 2 * from[i];
}
__attribute__((unused)) static void copy(int first) { memcpy(arrays.to + first, arrays.from + first, kEach * sizeof(double)); }
int main(void) {
  arrays.from = aligned_alloc(64, 64 * 1024);
  arrays.to = aligned_alloc(64, 64 * 1024);
  for (int i = 0; i < kEach * kTasks; ++i) arrays.from[i] = i;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int t = 0; t < kTasks; ++t) {
    #pragma omp task firstprivate(t)
    WHAT(t * kEach);
  }
  printf("%g\n", arrays.to[kEach * kTasks - 1]);
  return 0;
}
"""

# Every size and operation, under two threads that get in each other's way.
ATOMICS = r"""
#include <stdio.h>
#include <string.h>
typedef unsigned __int128 wide;
static unsigned char c; static unsigned short s; static unsigned i; static unsigned long l, flags, odd, spin, locked;
static wide w __attribute__((aligned(16)));
int main(void) {
  enum { kRounds = 20000 };
  #pragma omp parallel num_threads(2)
  for (int k = 0; k < kRounds; ++k) {
    __atomic_fetch_add(&c, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&s, 1, __ATOMIC_SEQ_CST);
    #pragma omp atomic
    ++i;
    __atomic_fetch_xor(&odd, 1ul << (k & 63), __ATOMIC_ACQ_REL);
    __atomic_fetch_or(&flags, 1ul << (k & 63), __ATOMIC_RELEASE);
    unsigned long seen = __atomic_load_n(&l, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&l, &seen, seen + 3, k & 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
    while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE)) {}
    ++locked;
    __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
    wide old = w;
    while (!__sync_bool_compare_and_swap(&w, old, old + 5)) old = __sync_val_compare_and_swap(&w, 0, 0);
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  printf("%u %u %u %lx %lx %lu %lu %lu\n", c, s, i, odd, flags, l, locked, (unsigned long)w);
  return 0;
}
"""
ATOMICS_PRINT = f"{40000 % 256} {65536 - 40000} 40000 0 ffffffffffffffff 120000 40000 200000\n"

# Exceptions through frames with hooks, and a longjmp that leaves some without a call of the hook at their function's
# end.
THROWS = r"""
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <vector>
static int depth(std::vector<int> &v, int n) {
  v.push_back(n);
  if (n == 0) throw std::runtime_error("bottom");
  return depth(v, n - 1) + v.back();
}
static jmp_buf back;
static void jump(int *n) { if (--*n == 0) longjmp(back, 1); jump(n); }
static __attribute__((noinline)) void leap() {
  volatile int left = 20;
  if (!setjmp(back)) { int n = left; jump(&n); }
}
int main() {
  int caught = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int t = 0; t < 50; ++t) {
    #pragma omp task shared(caught)
    {
      std::vector<int> v;
      try { depth(v, 30); } catch (const std::runtime_error &) {
        #pragma omp atomic
        caught += v.size();
      }
    }
  }
  leap();
  std::printf("%d\n", caught);
}
"""


class Accesses(CliTest):
    def hooked(self, source, *options, compiler="gcc", name="hooked"):
        hooks = ["-fsanitize=thread", "-fno-builtin-memcpy"] if compiler == "gcc" else CLANG_HOOKS
        return self.compile(source, "-g", *options, *hooks, compiler=compiler, name=name)

    def record(self, program, *words, env=None, status=0):
        file = self.folder / "run.grain"
        done = self.einkorn("record", "--accesses", "--no-report", "-o", file, "--", program, *words,
                            env={"LD_LIBRARY_PATH": ""} | (env or {}))
        self.assertEqual(done.returncode, status, done.stderr)
        return file, done

    def grains(self, file):
        out = self.folder / "table.csv"
        done = self.einkorn("export", file, "--to", "csv", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(out.read_text())))

    def report(self, file, *options):
        done = self.einkorn("report", file, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Counts(Accesses):
    def tasks_of(self, compiler, what):
        file, done = self.record(self.hooked(SCALE, f"-DWHAT={what}", compiler=compiler))
        self.assertEqual(done.stdout, "1998\n" if what == "scale" else "999\n")
        return [g for g in self.grains(file) if g["kind"] == "task"]

    def test_by_hand(self):
        """250 loads and as many stores, two loads of the pointers, one of the task's argument. 2,000 bytes of aligned arrays, from
        2,000 t on: 32 lines of each, one of the pointers and one of the argument."""
        for compiler in ["gcc", CLANG]:
            with self.subTest(compiler=compiler):
                tasks = self.tasks_of(compiler, "scale")
                self.assertEqual(len(tasks), 4)
                for g in tasks:
                    self.assertEqual(float(g["stores"]), 250)
                    self.assertEqual(float(g["loads"]), 250 + 2 + 1)
                    self.assertEqual(float(g["memory_footprint"]), 64 * (32 + 32 + 1 + 1))

    def test_copies(self):
        """memcpy of 2,000 bytes: 250 words loaded, 250 stored."""
        for compiler in ["gcc", CLANG]:
            with self.subTest(compiler=compiler):
                for g in self.tasks_of(compiler, "copy"):
                    self.assertEqual(float(g["stores"]), 250)
                    self.assertEqual(float(g["loads"]), 250 + 2 + 1)
                    self.assertEqual(float(g["memory_footprint"]), 64 * (32 + 32 + 1 + 1))


class Programs(Accesses):
    def test_atomics_operate(self):
        for compiler in ["gcc", CLANG]:
            with self.subTest(compiler=compiler):
                program = self.hooked(ATOMICS, "-mcx16", compiler=compiler)
                self.assertEqual(self.record(program)[1].stdout, ATOMICS_PRINT)

    def test_exceptions_and_longjmp(self):
        text = self.folder / "throws.cpp"
        text.write_text(THROWS)
        for compiler, hooks in [("g++", ["-fsanitize=thread"]), ("clang++-19", CLANG_HOOKS)]:
            with self.subTest(compiler=compiler):
                program = self.folder / "throws"
                subprocess.run([compiler, "-O1", "-g", "-fopenmp", text, "-o", program, *hooks], check=True, cwd=self.folder)
                file, done = self.record(program)
                self.assertEqual(done.stdout, f"{50 * 31}\n")
                self.assertGreater(sum(float(g["loads"] or 0) for g in self.grains(file) if g["kind"] == "task"), 50)

    def test_children_and_plugins(self):
        """A program that loads a library with hooks, forks, and executes itself: all run on, the library's accesses are counted."""
        plugin = self.compile("double table[512]; double sum(void) { double s = 0; for (int i = 0; i < 512; ++i) s += table[i]; return s; }",
                              "-g", "-fsanitize=thread", "-shared", "-fPIC", name="plugin.so")
        program = self.hooked(r"""
          #include <dlfcn.h>
          #include <stdio.h>
          #include <sys/wait.h>
          #include <unistd.h>
          int main(int argc, char **argv) {
            double (*sum)(void) = (double (*)(void))dlsym(dlopen(argv[1], RTLD_NOW), "sum");
            if (!sum) return 2;
            double all = 0;
            #pragma omp parallel num_threads(2)
            #pragma omp single
            #pragma omp task shared(all)
            all = sum();
            int status = 0;
            if (argc == 2) {
              if (fork() == 0) { int n = 0;
                #pragma omp parallel num_threads(2) reduction(+ : n)
                n += 1;
                _exit(n == 2 ? 0 : 3); }
              wait(&status);
              if (status) return 4;
              if (fork() == 0) execl(argv[0], argv[0], argv[1], "again", (char *)0);
              wait(&status);
            }
            return status ? 5 : 0;
          }""", "-ldl")
        self.einkorn("record", "--accesses", "--no-report", "-o", self.folder / "%p.grain", "--", program, plugin)
        files = sorted(self.folder.glob("*.grain"))
        self.assertEqual(len(files), 2)
        for file in files:
            tasks = [g for g in self.grains(file) if g["kind"] == "task"]
            self.assertEqual(len(tasks), 1)
            self.assertGreaterEqual(float(tasks[0]["loads"]), 512)
            self.assertLess(float(tasks[0]["loads"]), 512 + 20)

    def test_the_program_alone(self):
        """Without a recording the library only does what hooks must do; and a recording without --accesses has no accesses."""
        program = self.hooked(TASKS, compiler=CLANG)
        done = subprocess.run([program], capture_output=True, text=True, env={"LD_LIBRARY_PATH": str(BUILD / "lib")})
        self.assertEqual((done.returncode, done.stdout), (0, "4950\n"))
        file = self.folder / "plain.grain"
        done = self.einkorn("record", "--no-report", "-o", file, "--", program, env={"LD_LIBRARY_PATH": str(BUILD / "lib")})
        self.assertEqual((done.returncode, done.stdout), (0, "4950\n"))
        self.assertEqual(self.report(file)["level"], "structure and time")


class Reports(Accesses):
    def test_level_and_times(self):
        file, _ = self.record(self.hooked(TASKS))
        report = self.report(file)
        self.assertEqual(report["level"], "structure, memory accesses")
        self.assertFalse(report["times_valid"])
        self.assertIn("memory accesses were counted", report["verdict"])
        text = self.einkorn("report", file)
        self.assertIn("Recorded: structure, memory accesses", text.stdout)
        page = self.folder / "page.html"
        self.assertEqual(self.einkorn("report", file, "--html", page).returncode, 0)
        self.assertIn('"level":"structure, memory accesses"', page.read_text(errors="replace"))

    def test_beside_the_times_of_another_run(self):
        counts, _ = self.record(self.hooked(TASKS))
        times = self.folder / "times.grain"
        self.assertEqual(self.einkorn("record", "--no-report", "-o", times, "--", self.compile(TASKS, "-g")).returncode, 0)
        self.assertEqual(self.report(times, "--accesses", counts)["level"], "structure and time, memory accesses of another run")
        self.assert_refused(self.einkorn("report", times, "--json", "--accesses", times), 125, "record it with --accesses")
        self.assert_refused(self.einkorn("report", counts, "--json", "--accesses", counts), 125, "without")
        other, _ = self.record(self.hooked(HELLO, name="hello"))
        other_times = self.folder / "other.grain"
        self.assertEqual(self.einkorn("record", "--no-report", "-o", other_times, "--", self.compile(SCALE, "-DWHAT=scale", name="scale")).returncode, 0)
        refused = self.einkorn("report", other_times, "--json", "--accesses", counts)
        self.assertEqual(refused.returncode, 125)
        self.assertRegex(refused.stderr, r"only .* % of the accesses")


class Refused(Accesses):
    def test_without_hooks(self):
        program = self.compile(HELLO)
        self.assert_refused(self.einkorn("record", "--accesses", "--", program), 126, "no hooks", "-fsanitize=thread", "-leinkorn-accesses")

    def test_with_sanitizer_inside(self):
        program = self.compile(HELLO, "-fsanitize=thread", compiler=CLANG)
        self.assert_refused(self.einkorn("record", "--accesses", "--", program), 126, "linked into it", "-fno-sanitize-link-runtime")

    def test_with_what_it_cannot_go(self):
        program = self.hooked(HELLO)
        for options in (["--depth", "3"], ["--last", "5s"], ["--roi"], ["--max-size", "2M"]):
            self.assert_refused(self.einkorn("record", "--accesses", *options, "--", program), 125, "--accesses")
        self.assert_refused(self.einkorn("record", "--accesses", "--runtime", "libomp", "--", program), 125, "--accesses")


if __name__ == "__main__":
    main()

"""Large blocks of memory: who allocates them is recorded, and hints say where they lie; the program's memory stays what it was.

Where blocks really lie is tested on an emulated machine (tests/numa). Here it is told of a modelled one, on which memory is where our
own rules put it: what tasks name is then known to be on nodes (docs/memory.md)."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from harness import BUILD, CLANG, CliTest, main

# Four arrays, each by a line of its own; every function that gives memory, and some that call these inside the C library.
ARRAYS = r"""
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { kBytes = 1 << 20 };
static void *checked(void *p, size_t alignment) {
  if (!p || (uintptr_t)p % alignment || malloc_usable_size(p) < kBytes) abort();
  memset(p, 7, kBytes);
  return p;
}
int main(void) {
  double sum = 0;
  double *a = malloc(kBytes);
  double *b = calloc(kBytes / 8, 8);  // b
  for (int i = 0; i < kBytes / 8; ++i) sum += b[i], a[i] = 1;
  for (int k = 0; k < 3; ++k) {
    double *t = malloc(kBytes + 8 * k);  // t
    memcpy(t, a, kBytes);
    sum += t[k];
    free(t);
  }
  a = realloc(a, 2 * kBytes);  // a
  sum += a[kBytes / 8 - 1];
  void *p = NULL;
  if (posix_memalign(&p, 256, kBytes)) abort();  // posix
  free(checked(p, 256));
  free(checked(aligned_alloc(4096, kBytes), 4096));
  free(checked(memalign(64, kBytes), 64));
  free(checked(valloc(kBytes), 4096));
  free(checked(pvalloc(kBytes), 4096));
  p = checked(reallocarray(NULL, kBytes, 1), 1);  // array
  p = checked(reallocarray(p, kBytes, 2), 1);
  static void *volatile none[3];  /* a compiler takes for granted that there is memory that nobody uses */
  none[0] = reallocarray(p, SIZE_MAX / 2, 4), none[1] = malloc(SIZE_MAX / 2), none[2] = calloc(SIZE_MAX / 2, 3);
  if (none[0] || none[1] || none[2]) abort();
  free(p);
  char *line = NULL, *text;
  size_t room = 0, size;
  FILE *stream = open_memstream(&text, &size);
  for (int i = 0; i < 300000; ++i) fputc('x', stream);
  fclose(stream);
  stream = fmemopen(text, size, "r");
  sum += (double)getline(&line, &room, stream);
  char *twice = strdup(line);
  sum += (double)strlen(twice);
  free(line), free(text), free(twice);
  fclose(stream);
  pid_t child = fork();
  if (child == 0) free(checked(malloc(kBytes), 8)), _exit(3);
  int status;
  waitpid(child, &status, 0);
  #pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    char *volatile mine = malloc(kBytes);  // mine
    mine[kBytes - 1] = 1;
    sum += mine[kBytes - 1];
    free(mine);
  }
  free(a), free(b);
  printf("%g %d\n", sum, WEXITSTATUS(status));
  return 0;
}
"""
RESULT = "600006 3\n"  # 300,000 characters twice, three times 1 of t, a's last one, two threads

VECTORS = r"""
#include <cstdio>
#include <new>
#include <vector>
int main() {
  std::vector<double> v(1 << 17);  // vector
  double *p = new double[1 << 17]();  // new
  double *q = new (std::nothrow) double[1 << 17];
  struct alignas(128) Line { char bytes[128]; };
  Line *volatile lines = new Line[1 << 13];  // aligned
  volatile size_t too_much = ~size_t(0) / 2 - 64;
  try {
    char *volatile none = new char[too_much];
    p[1] = none ? 2 : 3;
  } catch (const std::bad_alloc &) {
    p[1] = 1;
  }
  double sum = 0;
  #pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 1 << 17; ++i) sum += v[i] + p[i] + 1;
  std::printf("%g %d\n", sum, q != nullptr && lines != nullptr);
  delete[] p;
  delete[] q;
  delete[] lines;
}
"""

# Tasks that name parts of an array, which the line above has allocated.
NAMED = r"""
#include <stdio.h>
#include <stdlib.h>
enum { kParts = 16, kPart = 1 << 14 };
int main(void) {
  double *a = malloc(kParts * kPart * sizeof *a), sum = 0;  // a
  for (int i = 0; i < kParts * kPart; ++i) a[i] = 1;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int k = 0; k < kParts; ++k) {
    #pragma omp task depend(in : a[k * kPart : kPart])
    {
      double own = 0;
      for (int i = 0; i < kPart; ++i) own += a[k * kPart + i];
      #pragma omp atomic
      sum += own;
    }
  }
  printf("%g\n", sum);
  free(a);
  return 0;
}
"""
NAMED_BYTES = 16 * (1 << 14) * 8


def line_of(source, mark):
    return next(i for i, line in enumerate(source.splitlines(), 1) if line.endswith(f"// {mark}"))


class AllocationTest(CliTest):
    def cxx(self, *options, compiler="g++"):
        (self.folder / "app.cpp").write_text(VECTORS)
        subprocess.run([compiler, "-fopenmp", "-std=c++17", *options, "app.cpp", "-o", "app"], cwd=self.folder, check=True)

    def recorded(self, *options, env=None, program="./app"):
        """The program's output, what else was said, and the report's JSON."""
        done = self.einkorn("record", "-o", "app.grain", "--no-report", *options, "--", program, env=env or {})
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [line for line in done.stderr.splitlines() if "recorded in" not in line and "further process" not in line]
        report = json.loads(self.einkorn("report", "--json", "app.grain").stdout)
        for file in self.folder.glob("app*.grain"):
            file.unlink()
        return done.stdout, said, report

    def hints(self, *lines):
        (self.folder / "app.hints").write_text("\n".join(["einkorn-hints 1", "object app", *lines]) + "\n")
        return "app.hints"


class Recorded(AllocationTest):
    def test_blocks_are_told_by_their_lines(self):
        for compiler in ("gcc", CLANG):
            for level in ("-O0", "-O2"):
                with self.subTest(compiler=compiler, level=level):
                    self.compile(ARRAYS, "-g", level, compiler=compiler)
                    out, said, report = self.recorded("--allocations")
                    self.assertEqual((out, said), (RESULT, []))
                    found = {a["line"]: a for a in report["allocations"] if a.get("file", "").endswith("app.c")}
                    mega = 1 << 20
                    expected = {"b": (1, mega, mega), "t": (3, 3 * mega + 24, mega + 16), "a": (1, 2 * mega, 2 * mega), "posix": (1, mega, mega),
                                "array": (1, mega, mega), "mine": (2, 2 * mega, mega)}
                    for mark, values in expected.items():
                        a = found[line_of(ARRAYS, mark)]
                        self.assertEqual((a["blocks"], a["bytes"], a["largest_bytes"]), values, mark)
                    # All memory is on node 0 here; b's pages were only read, so they have none of their own.
                    self.assertEqual(len(found[line_of(ARRAYS, "t")]["sampled_bytes_on_node"]), 1)
                    self.assertNotIn("sampled_bytes_on_node", found[line_of(ARRAYS, "b")])
                    self.assertEqual(report["allocations"], sorted(report["allocations"], key=lambda a: -a["bytes"]))

    def test_a_containers_blocks_are_those_of_who_uses_it(self):
        for compiler in ("g++", CLANG.replace("clang", "clang++")):
            with self.subTest(compiler=compiler):
                self.cxx("-g", "-O2", compiler=compiler)
                out, said, report = self.recorded("--allocations")
                self.assertEqual((out, said), ("131073 1\n", []))
                lines = {a["line"] for a in report["allocations"] if a.get("file", "").endswith("app.cpp")}
                for mark in ("new", "aligned", "vector"):
                    self.assertIn(line_of(VECTORS, mark), lines)

    def test_the_report_names_them(self):
        self.compile(ARRAYS, "-g")
        done = self.einkorn("record", "--allocations", "--", "./app")
        self.assertIn("Large blocks of memory, by who allocates them", done.stderr)
        self.assertRegex(done.stderr, rf"app\.c:{line_of(ARRAYS, 't')} +3 +3\.15 +1\.05 +0: 100\.0 %")

    def test_they_are_not_recorded_unasked(self):
        self.compile(ARRAYS, "-g")
        out, said, report = self.recorded()
        self.assertEqual((out, said), (RESULT, []))
        self.assertNotIn("allocations", report)

    def test_on_a_modelled_machine_nobody_asks_where_they_are(self):
        self.compile(ARRAYS, "-g")
        _, _, report = self.recorded("--allocations", "--machine", "numa:4 core:2")
        self.assertFalse([a for a in report["allocations"] if "sampled_bytes_on_node" in a])
        self.assertGreater(len(report["allocations"]), 5)

    def test_without_the_library_nothing_is_recorded_of_them(self):
        self.compile(ARRAYS, "-g")
        done = subprocess.run(["./app"], cwd=self.folder, capture_output=True, text=True, env={
            **os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib"), "EINKORN_RECORD": "app.grain", "EINKORN_RECORD_ALLOCATIONS": "true"})
        self.assertEqual(done.stdout, RESULT)
        self.assertIn("libeinkorn-allocations.so is not in this process: who allocates memory is not recorded. `einkorn record --allocations` "
                      "loads it", done.stderr)

    def test_however_the_program_ends(self):
        self.compile(r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
  char *block = malloc(1 << 20);  // block
  memset(block, 1, 1 << 20);
  #pragma omp parallel num_threads(2)
  block[0] = 1;
  switch (atoi(words[count - 1])) {
    case 1: _Exit(0);
    case 2: raise(SIGKILL);
  }
  return block[1] - 1;
}
""", "-g")
        for way in ("0", "1", "2"):
            self.einkorn("record", "-o", f"{way}.grain", "--no-report", "--allocations", "--", "./app", way)
            report = json.loads(self.einkorn("report", "--json", f"{way}.grain").stdout)
            block, = (a for a in report["allocations"] if a.get("file", "").endswith("app.c"))
            self.assertEqual((block["blocks"], block["bytes"], len(block["sampled_bytes_on_node"])), (1, 1 << 20, 1), way)

    def test_a_child_counts_its_own(self):
        self.compile(r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static char *volatile kept;
int main(void) {
  kept = malloc(1 << 20);
  if (fork() == 0) kept = malloc(1 << 21);  // child
  #pragma omp parallel num_threads(2)
  kept[0] = 1;
  while (wait(NULL) > 0) {}
  return 0;
}
""", "-g")
        self.einkorn("record", "-o", "x.grain", "--no-report", "--allocations", "--", "./app")
        found = sorted([a["bytes"] for a in json.loads(self.einkorn("report", "--json", file).stdout)["allocations"]]
                       for file in self.folder.glob("x*.grain"))
        self.assertEqual(found, [[1 << 20], [1 << 21]])

    def test_who_answers_malloc_instead_is_named(self):
        self.compile(r"""
#include <stddef.h>
#include <stdio.h>
static char memory[1 << 22];
static size_t used;
void *malloc(size_t bytes) { size_t at = used; used += (bytes + 15) / 16 * 16; return memory + at; }
void free(void *p) { (void)p; }
void *calloc(size_t count, size_t each) { return malloc(count * each); }
void *realloc(void *p, size_t bytes) { (void)p; return malloc(bytes); }
int main(void) {
  char *p = malloc(1 << 20);
  #pragma omp parallel num_threads(2)
  p[0] = 1;
  puts("own");
  return 0;
}
""", "-rdynamic", "-fno-builtin")
        done = self.einkorn("record", "--allocations", "--no-report", "-o", "x.grain", "--", "./app")
        self.assertEqual((done.returncode, done.stdout), (0, "own\n"), done.stderr)
        self.assertRegex(done.stderr, r"malloc\(\) is answered by .*app: who allocates memory is not recorded")

    def test_a_program_at_fixed_addresses(self):
        """Where it takes the address of free(), that is its own jump to it, for all libraries."""
        source = ARRAYS.replace("  double sum = 0;", "  static void (*volatile give)(void *) = free, *(*volatile take)(size_t) = malloc;\n  give(take(1));\n  double sum = 0;", 1)
        self.compile(source, "-g", "-no-pie", "-fno-pic")
        out, said, report = self.recorded("--allocations")
        self.assertEqual((out, said), (RESULT, []))
        self.assertIn(line_of(source, "t"), [a["line"] for a in report["allocations"] if "line" in a])

    def test_a_sanitizer_answers_malloc_itself(self):
        self.compile(ARRAYS, "-g", "-fsanitize=address")
        done = self.einkorn("record", "--allocations", "--", "./app")
        self.assertEqual(done.returncode, 125)
        self.assertIn("--allocations cannot be combined with a sanitizer", done.stderr)
        self.assertIn("Build the program without -fsanitize", done.stderr)


class Placed(AllocationTest):
    def known(self, *options):
        out, said, report = self.recorded("--machine", "numa:4 core:2", *options)
        return out, said, report["locality"].get("footprint", {}).get("known_bytes", 0)

    def test_hints_place_what_a_line_allocates(self):
        """The first thread has filled the array outside of all tasks: nobody knows where it is, unless a hint has put it there."""
        line = line_of(NAMED, "a")
        for compiler in ("gcc", CLANG):
            for place in ("fine", "blocked", "coarse"):
                with self.subTest(compiler=compiler, place=place):
                    self.compile(NAMED, "-g", "-O2", compiler=compiler)
                    self.assertEqual(self.known(), ("262144\n", [], 0))
                    out, said, known = self.known("--hints", self.hints(f"allocation app.c:{line} place={place}"))
                    self.assertEqual((out, said), ("262144\n", []))
                    # But for the pages at both ends, which it shares with others, and the last part, of which gcc does not tell the length.
                    self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)
                    self.assertEqual(self.known("--hints", self.hints(f"allocation app.c:{line + 3} place={place}"))[2], 0)

    def test_an_inlined_function_of_the_programs_own_has_its_own_line(self):
        own = NAMED.replace("int main", "static inline __attribute__((always_inline)) double *get(size_t n) {\n  return malloc(n);  // own\n}\nint main")
        own = own.replace("malloc(kParts * kPart * sizeof *a)", "get(kParts * kPart * sizeof *a)")
        self.compile(own, "-g", "-O2")
        self.assertGreaterEqual(self.known("--hints", self.hints(f"allocation app.c:{line_of(own, 'own')} place=fine"))[2], NAMED_BYTES / 2)
        self.assertEqual(self.known("--hints", self.hints(f"allocation app.c:{line_of(own, 'a')} place=fine"))[2], 0)

    def test_another_build_is_found_by_its_lines(self):
        """Also where the call is in a container's functions, which were inlined into that line."""
        vector = NAMED.replace("double *a = malloc(kParts * kPart * sizeof *a), sum = 0;", "std::vector<double> v(kParts * kPart, 0.0); double *a = v.data(), sum = 0;")
        vector = vector.replace("<stdlib.h>", "<vector>").replace("  free(a);\n", "")
        for source, compilers in ((NAMED, ("gcc", CLANG)), (vector, ("g++", CLANG.replace("clang", "clang++")))):
            line = line_of(source, "a")
            for compiler in compilers:
                for flags in ("-O2", "-O3") if source is vector else ("-O0", "-O2"):
                    with self.subTest(compiler=compiler, flags=flags):
                        self.hints(f"allocation app.c:{line} at 0x10 place=fine")
                        self.compile(source, "-g", flags, compiler=compiler)
                        out, _, known = self.known("--hints", "app.hints")
                        self.assertEqual(out, "262144\n")
                        self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)

    def test_the_memory_is_the_programs_own(self):
        self.compile(ARRAYS, "-g", "-O2")
        lines = {i for i, text in enumerate(ARRAYS.splitlines(), 1) if "alloc" in text or "memalign" in text}
        for machine in ([], ["--machine", "numa:4 core:2"]):
            for place in ("fine", "nearest"):
                hints = self.hints(*[f"allocation app.c:{line} place={place}" for line in sorted(lines)])
                done = self.einkorn("run", *machine, "--hints", hints, "--", "./app")
                self.assertEqual((done.returncode, done.stdout), (0, RESULT), done.stderr)

    def test_an_installation_with_a_space_in_its_path(self):
        home = self.folder / "a b"
        for name in ("bin", "lib"):
            (home / name).mkdir(parents=True)
        shutil.copy(BUILD / "bin" / "einkorn", home / "bin")
        for library in (BUILD / "lib").glob("lib*.so*"):
            shutil.copy(library, home / "lib", follow_symlinks=False)
        self.compile(ARRAYS, "-g")
        done = subprocess.run([home / "bin" / "einkorn", "record", "--no-report", "-o", "app.grain", "--allocations", "--", "./app"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, RESULT), done.stderr)
        self.assertNotIn("cannot be preloaded", done.stderr)
        self.assertIn("allocations", json.loads(self.einkorn("report", "--json", "app.grain").stdout))

    def test_a_constructor_that_waits_for_a_thread_which_allocates(self):
        """dlopen() holds a lock of the dynamic linker meanwhile."""
        (self.folder / "late.c").write_text(r"""
#include <pthread.h>
#include <stdlib.h>
static void *allocate(void *p) {
  for (int i = 0; i < 4; ++i) {
    char *volatile block = malloc(1 << 20);
    block[5] = 1;
    free(block);
  }
  return p;
}
__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, allocate, NULL) == 0) pthread_join(thread, NULL);
}
""")
        subprocess.run(["gcc", "-shared", "-fPIC", "-g", "late.c", "-o", "late.so"], cwd=self.folder, check=True)
        self.compile(r"""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  int n = 0;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  n += 1;
  printf("%d %d\n", n, dlopen("./late.so", RTLD_NOW) != NULL);
  return 0;
}
""", "-ldl")
        hints = self.hints("allocation main at 0x10 place=fine", "object late.so", "allocation late.c:6 place=fine")
        for words in (["record", "--allocations", "--no-report", "-o", "x.grain"], ["run", "--hints", hints]):
            done = self.einkorn(*words, "--", "./app", timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, "2 1\n"), done.stderr)

    def test_a_signal_handler_that_ends_the_program(self):
        self.compile(r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void end(int number) { exit(number == SIGALRM ? 0 : 1); }
int main(void) {
  #pragma omp parallel num_threads(2)
  ;
  signal(SIGALRM, end);
  ualarm(20000, 0);
  for (;;) {
    char *volatile block = malloc(300000);
    memset(block, 1, 300000);
    free(block);
  }
}
""", "-O0")
        # glibc's own free() may be interrupted with its lock held: then exit() hangs without us, too.
        ended = 0
        for _ in range(12):
            try:
                ended += self.einkorn("record", "--allocations", "--no-report", "-o", "x.grain", "--", "./app", timeout=20).returncode == 0
            except subprocess.TimeoutExpired:
                pass
        self.assertGreaterEqual(ended, 11)

    def test_the_users_own_preloaded_libraries_stay(self):
        (self.folder / "own.c").write_text("#include <stdio.h>\n__attribute__((constructor)) static void here(void) { puts(\"own\"); fflush(stdout); }\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "own.c", "-o", "own.so"], cwd=self.folder, check=True)
        self.compile(NAMED, "-g")
        done = self.einkorn("run", "--hints", self.hints(f"allocation app.c:{line_of(NAMED, 'a')} place=fine"), "--", "./app",
                            env={"LD_PRELOAD": str(self.folder / "own.so")})
        self.assertEqual(done.stdout, "own\nown\n262144\n")  # the tool's process, and the program

    def test_without_the_tool_a_message_says_so(self):
        self.compile(NAMED, "-g", "-Wl,--build-id=none")
        done = subprocess.run(["./app"], cwd=self.folder, capture_output=True, text=True, env={
            **os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib"), "EINKORN_HINTS": "einkorn-hints 1\nobject app\nallocation main at 0x1000-0x9000 place=fine\n"})
        self.assertEqual(done.stdout, "262144\n")
        self.assertIn("libeinkorn-allocations.so is not in this process: where memory is allocated no hint is applied. `einkorn run --hints` "
                      "loads it", done.stderr)

    def test_a_sanitizer_answers_malloc_itself(self):
        self.compile(NAMED, "-g", "-fsanitize=address")
        done = self.einkorn("run", "--hints", self.hints(f"allocation app.c:{line_of(NAMED, 'a')} place=fine"), "--", "./app",
                            env={"ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual((done.returncode, done.stdout), (0, "262144\n"), done.stderr)
        self.assertIn("a hint about an allocation cannot be combined with a sanitizer", done.stderr)


if __name__ == "__main__":
    main()

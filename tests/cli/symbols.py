"""Reports of stripped libraries: which names are missing, what the report says of them, and --symbols."""
import json
import shutil
import subprocess
from pathlib import Path

from harness import CliTest, main

# No symbol of a stripped file says which of the two the region belongs to.
LIBRARY = r"""
volatile int sink;
static __attribute__((noinline, noclone)) void hidden(int n) {
  #pragma omp parallel for
  for (int i = 0; i < n; ++i) sink = i;
  sink = n;
}
void one(int n) { hidden(n); sink = 1; }
void two(int n) { hidden(n); sink = 2; }
"""
PROGRAM = "void one(int), two(int); int main(void) { one(2000000); two(2000000); return 0; }"


class Symbols(CliTest):
    def setUp(self):
        super().setUp()
        library = self.compile(LIBRARY, "-g", "-O2", "-shared", "-fPIC", "-Wl,--build-id", name="libtwo.so")
        app = self.compile(PROGRAM, "-L.", "-ltwo", f"-Wl,-rpath,{self.folder}")
        self.symbols = self.folder / "symbols"
        self.symbols.mkdir()
        shutil.copy(library, self.symbols)
        subprocess.run(["strip", library], check=True)
        done = self.einkorn("record", "--no-report", "-o", "r.grain", "--", app, env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def report(self, *words):
        done = self.einkorn("report", "r.grain", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def functions(self, *words):
        return {s.get("function") for s in json.loads(self.report("--json", *words))["sources"]}

    def test_what_is_missing_is_said(self):
        self.assertEqual(self.functions(), {None})
        about = [line for line in self.report().splitlines() if "No function's name is known" in line]
        self.assertEqual(len(about), 1)
        self.assertRegex(about[0], r"^No function's name is known for 100\.0 % of the (work|grains), .* libtwo\.so, which is stripped.*"
                                   r"\.build-id/[0-9a-f]{2}/[0-9a-f]+\.debug in /usr/lib/debug.* --symbols names\.$")

    def test_a_folder_of_symbols(self):
        self.assertEqual(self.functions("--symbols", self.symbols), {"hidden"})
        text = self.report("--symbols", self.symbols)
        self.assertIn("libtwo.so.c:4", text)
        self.assertNotIn("No function's name is known", text)

    def test_a_file_that_is_on_another_machine(self):
        (self.folder / "libtwo.so").unlink()
        about = [line for line in self.report().splitlines() if "No function's name is known" in line]
        self.assertRegex(about[0], r"libtwo\.so, which is not on this computer: names would come from a copy .* --symbols names\.$")
        self.assertEqual(self.functions("--symbols", self.symbols), {"hidden"})
        root = self.folder / "root"  # as a copy of the other machine's files has it
        root.joinpath(*self.folder.parts[1:]).mkdir(parents=True)
        (self.symbols / "libtwo.so").rename(f"{root}{self.folder}/libtwo.so")
        self.assertEqual(self.functions("--symbols", root), {"hidden"})

    def test_other_verbs_take_it(self):
        done = self.einkorn("compare", "r.grain", "r.grain", "--json", "--symbols", self.symbols)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"hidden"', done.stdout)
        done = self.einkorn("export", "r.grain", "--to", "csv", "-o", "-", "--symbols", self.symbols)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("libtwo.so.c,4,hidden,parallel", done.stdout)

    def test_folders_that_cannot_be_searched(self):
        colon = self.folder / "a:b"
        colon.mkdir()
        for folder in [colon, self.folder / "none"]:
            self.assert_refused(self.einkorn("report", "r.grain", "--symbols", folder), 125, "--symbols")


# A function in memory of its own jumps to where the work is, as a compiler's would; and a file tells perf of it.
MADE = r"""
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
static volatile int sink;
static void work(void* data) { for (int i = 0; i < 3000000; ++i) sink = i; }
int main(int argc, char** argv) {
#ifdef __x86_64__
  unsigned char code[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  const int at = 2;
#else
  unsigned char code[16] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};
  const int at = 8;
#endif
  void (*to)(void*) = work;
  memcpy(code + at, &to, sizeof to);
  char* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page + 64, code, sizeof code);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  __builtin___clear_cache(page, page + 4096);
  if (argc > 1) {
    char name[64];
    snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
    FILE* map = fopen(name, "w");
    fprintf(map, "%lx 40 another\n%lx 20 hot kernel\n", (long)page, (long)page + 64);
    fclose(map);
    puts(name);
    fflush(stdout);
  }
  GOMP_parallel((void (*)(void*))(page + 64), 0, 2, 0);
  if (argc > 2) _exit(3);
  return 0;
}
"""


class MadeCode(CliTest):
    def functions(self, *words, status=0):
        done = self.einkorn("record", "--no-report", "-o", "m.grain", "--", self.folder / "app", *words, env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, status, done.stderr)
        for line in done.stdout.splitlines():
            Path(line).unlink()  # the report needs it no more
        report = json.loads(self.einkorn("report", "--json", "m.grain").stdout)
        self.text = self.einkorn("report", "m.grain").stdout
        return {s.get("function") for s in report["sources"]}, report["named_share"]

    def test_names_from_a_map_for_perf(self):
        self.compile(MADE, "-g", "-O2", name="app")
        self.assertEqual(self.functions("map"), ({"hot kernel"}, 1))
        self.assertIn("hot kernel", self.text)
        self.assertEqual(self.functions("map", "exit", status=3), ({"hot kernel"}, 1))  # by _exit(), which no handler sees

    def test_without_one_it_has_the_name_of_who_begins_the_region(self):
        self.compile(MADE, "-g", "-O2", name="app")
        self.assertEqual(self.functions(), ({"main"}, 1))
        subprocess.run(["strip", self.folder / "app"], check=True)
        self.assertEqual(self.functions(), ({None}, 0))


# A constructor, which runs under the dynamic linker's lock, waits for a thread that has its first region of a pool meanwhile.
POOL = r"""
static volatile int sink;
void pool_run(void) {
  #pragma omp parallel num_threads(2)
  sink = 1;
  sink = 2;
}
"""
SLOW = r"""
#include <unistd.h>
extern volatile int flag;
__attribute__((constructor)) static void wait(void) {
  for (flag = 1; flag < 2;) usleep(1000);
}
"""
WAITING = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
void pool_run(void);
volatile int flag;
static void* load(void* name) {
  if (!dlopen(name, RTLD_NOW)) abort();
  return 0;
}
int main(int argc, char** argv) {
  alarm(30);
  #pragma omp parallel num_threads(2)
  { }
  pthread_t thread;
  pthread_create(&thread, 0, load, argv[1]);
  while (!flag) usleep(1000);
  pool_run();
  flag = 2;
  pthread_join(thread, 0);
  return 0;
}
"""


class Pools(CliTest):
    def test_a_pools_region_waits_for_no_lock_of_the_linker(self):
        self.compile(POOL, "-shared", "-fPIC", name="omppool.so")
        slow = self.compile(SLOW, "-shared", "-fPIC", name="slow.so")
        app = self.compile(WAITING, "./omppool.so", "-rdynamic", "-lpthread", "-ldl", f"-Wl,-rpath,{self.folder}")
        done = self.einkorn("record", "--no-report", "-o", "p.grain", "--", app, slow, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = json.loads(self.einkorn("report", "--json", "p.grain").stdout)["sources"]
        self.assertTrue(sources)

    def test_waits_at_a_pools_regions_are_of_their_callers(self):
        caller = r"""
            void pool_run(void);
            static __attribute__((noinline)) void %(name)s(void) { for (int i = 0; i < 50; ++i) pool_run(); __asm__ volatile(""); }
        """
        self.compile(POOL, "-shared", "-fPIC", name="omppool.so")
        callers = [caller % {"name": name} for name in ("first", "second")]
        app = self.compile("\n".join([*callers, "int main(void) { first(); second(); return 0; }"]), "-g", "./omppool.so",
                           f"-Wl,-rpath,{self.folder}")
        done = self.einkorn("record", "--no-report", "-o", "p.grain", "--", app)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(self.einkorn("report", "--json", "p.grain").stdout)
        for what in ("sources", "waits"):
            self.assertEqual({s.get("function") for s in report[what]}, {"first", "second"}, report[what])


if __name__ == "__main__":
    main()

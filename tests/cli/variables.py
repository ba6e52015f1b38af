"""Large global variables: a recording tells of them beside the blocks that are allocated, and hints say where they lie.

Where they really lie is tested on an emulated machine (tests/numa); here on a modelled one, as in allocations.py."""
import json
import subprocess

from harness import CLANG, CliTest, main

# What is told of (by its mark's size) and what is not.
GLOBALS = r"""
#include <stdio.h>
enum { kCount = 1 << 15 };
double zeros[kCount];
static double begun[kCount + 1] = {1};
static const double only_read[kCount] = {2};
static _Thread_local double own[kCount];
static char small[100000];
extern double elsewhere[];
static double *inside(void) {
  static double grid[kCount + 2];
  return grid;
}
int main(int argc, char **words) {
  (void)words;
  double *grid = inside(), sum = 0;
  #pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) {
    zeros[i] = grid[i] = own[i] = 1;
    sum += begun[i] + only_read[i] + zeros[i] + grid[i] + own[i] + elsewhere[i];
    small[i] = 1;
    if (argc > i + 1) begun[i] = i;
  }
  printf("%g\n", sum);
  return 0;
}
"""
RESULT = "163843\n"  # 1 of begun, 2 of only_read, and of each of kCount three times 1 and 2 of elsewhere
LIBRARY = "double elsewhere[1 << 15];\n__attribute__((constructor)) static void fill(void) { for (int i = 0; i < 1 << 15; ++i) elsewhere[i] = 2; }\n"

# Tasks that name parts of a global array, which the first thread has filled outside of them.
NAMED = r"""
#include <stdio.h>
enum { kParts = 16, kPart = 1 << 14 };
OTHERS
double a[kParts * kPart];
int main(void) {
  double sum = 0;
  for (int i = 0; i < kParts * kPart; ++i) a[i] += 1;
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
  return 0;
}
"""
NAMED_BYTES = 16 * (1 << 14) * 8


class VariableTest(CliTest):
    def library(self):
        (self.folder / "lib.c").write_text(LIBRARY)
        subprocess.run(["gcc", "-g", "-shared", "-fPIC", "lib.c", "-o", "lib.so"], cwd=self.folder, check=True)
        return ["lib.so", "-Wl,-rpath,$ORIGIN"]

    def recorded(self, *options):
        done = self.einkorn("record", "-o", "app.grain", "--no-report", *options, "--", "./app")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [line for line in done.stderr.splitlines() if "recorded in" not in line]
        return done.stdout, said, json.loads(self.einkorn("report", "--json", "app.grain").stdout)

    def variables(self, report):
        return {a["function"].split(".")[0]: a for a in report.get("allocations", []) if a["construct"] == "variable"}

    def hints(self, *lines, of="app"):
        (self.folder / "app.hints").write_text("\n".join(["einkorn-hints 1", f"object {of}", *lines]) + "\n")
        return "app.hints"


class Recorded(VariableTest):
    def test_they_are_told_by_their_names(self):
        library = self.library()
        for compiler in ("gcc", CLANG):
            for level in ("-O0", "-O2"):
                for where in (["-pie", "-fPIE"], ["-no-pie", "-fno-pie"]):
                    with self.subTest(compiler=compiler, level=level, where=where):
                        self.compile(GLOBALS, level, *where, *library, compiler=compiler)
                        out, said, report = self.recorded("--allocations")
                        self.assertEqual((out, said), (RESULT, []))
                        found = self.variables(report)
                        # clang says which function it is in: inside.grid.
                        grid = "inside" if compiler == CLANG else "grid"
                        self.assertEqual({name: found[name]["bytes"] for name in found},
                                         {"zeros": 8 << 15, "begun": (8 << 15) + 8, grid: (8 << 15) + 16, "elsewhere": 8 << 15})
                        for name, a in found.items():
                            self.assertEqual((a["blocks"], a["largest_bytes"], len(a["sampled_bytes_on_node"])), (1, a["bytes"], 1), name)

    def test_the_report_names_them(self):
        self.compile(GLOBALS, *self.library())
        done = self.einkorn("record", "--allocations", "--", "./app")
        self.assertRegex(done.stderr, r"variable zeros +1 +0\.262 +0\.262 +0: 100\.0 %")

    def test_not_unasked(self):
        self.compile(GLOBALS, *self.library())
        out, said, report = self.recorded()
        self.assertEqual((out, said), (RESULT, []))
        self.assertNotIn("allocations", report)

    def test_of_a_stripped_program_what_it_exports(self):
        self.compile(GLOBALS, *self.library(), "-s", "-rdynamic")
        out, said, report = self.recorded("--allocations")
        self.assertEqual((out, said), (RESULT, []))
        self.assertEqual(set(self.variables(report)), {"zeros", "elsewhere"})


class Placed(VariableTest):
    def known(self, *options):
        out, said, report = self.recorded("--machine", "numa:4 core:2", *options)
        self.assertEqual(out, "262144\n")
        return said, report["locality"].get("footprint", {}).get("known_bytes", 0)

    def build(self, *options, others="", compiler="gcc"):
        self.compile(NAMED.replace("OTHERS", others), *options, compiler=compiler)

    def test_hints_place_them(self):
        for compiler in ("gcc", CLANG):
            for options in (["-O0"], ["-O2", "-no-pie", "-fno-pie"]):
                self.build(*options, compiler=compiler)
                self.assertEqual(self.known(), ([], 0))
                for place in ("fine", "blocked", "coarse", "nearest"):
                    with self.subTest(compiler=compiler, options=options, place=place):
                        said, known = self.known("--hints", self.hints(f"variable a place={place}"))
                        self.assertEqual(said, [])
                        # But for the pages at both ends, which it shares with others, and the last part, of which gcc does not tell the length.
                        self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)

    def test_another_build_is_found_by_the_name(self):
        self.build()
        file = self.hints("variable a place=fine")
        self.assertEqual(self.einkorn("run", "--hints", file, "--", "./app").returncode, 0)
        build_id, at = "0" * 40, "0x10-0x20"  # of no build
        (self.folder / "app.hints").write_text(f"einkorn-hints 1\nobject app {build_id}\nvariable a at {at} place=fine\nvariable b at 0x30-0x40 place=fine\n")
        said, known = self.known("--hints", file)
        self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)
        self.assertIn("app.hints:4: b is not found in", said[0])
        self.assertIn("it has no symbol of a variable of this name. The line is ignored.", said[0])
        self.assertIn("app is another build than the one that the hints were made for: 1 of 2 found again by their lines and names", said[1])

    def test_a_functions_own_may_have_another_number(self):
        inside = NAMED.replace("double a[kParts * kPart];\n", "").replace("double sum = 0;", "static double a[kParts * kPart]; double sum = 0;")
        self.compile(inside.replace("OTHERS", ""))
        said, known = self.known("--hints", self.hints("variable a.17 place=fine"))
        self.assertEqual(said, [])
        self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)
        self.assertGreaterEqual(self.known("--hints", self.hints("variable a place=fine"))[1], NAMED_BYTES / 2)
        # Of two nobody can tell which one is meant, but by its size in the other build.
        self.compile(inside.replace("OTHERS", "double *other(void) { static double a[9]; return a; }"))
        for name in ("a.17", "a"):
            said, known = self.known("--hints", self.hints(f"variable {name} place=fine"))
            self.assertRegex(said[0], r"no symbol of a variable of this name(, but a\.\d, a\.\d)?\.")
            self.assertEqual(known, 0)
        for number in (0, 1, 17):
            said, known = self.known("--hints", self.hints(f"variable a.{number} at 0x0-{NAMED_BYTES:#x} place=fine"))
            self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)
        said, known = self.known("--hints", self.hints("variable a.0 at 0x0-0x100 place=fine"))
        self.assertIn("no symbol of a variable of this name", said[0])

    def test_several_of_one_name(self):
        """Each has its address in reports, which a hint may have, too; without it the line is about all, and a message says so."""
        (self.folder / "more.c").write_text("static double a[16 << 14]; double *more(void) { return a; }\n")
        text = NAMED.replace("OTHERS", "double *more(void);").replace("double a[", "static double a[").replace("sum = 0;", "sum = 0; for (int i = 0; i < kParts * kPart; ++i) more()[i] = 1;", 1)
        (self.folder / "app.c").write_text(text)
        subprocess.run(["gcc", "-fopenmp", "app.c", "more.c", "-o", "app"], cwd=self.folder, check=True)
        symbols = subprocess.run(["nm", "app"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        at = sorted(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" a"))
        _, _, report = self.recorded("--allocations")
        self.assertEqual(len([a for a in report["allocations"] if a["construct"] == "variable" and a["function"] == "a"]), 2)
        text = self.einkorn("report", "app.grain").stdout
        for address in at:
            self.assertIn(f"variable a@{address:#x} ", text)
        said, known = self.known("--hints", self.hints("variable a place=fine"))
        self.assertIn("a is the name of 2 variables of", said[0])
        self.assertGreaterEqual(known, NAMED_BYTES / 2)
        each = [self.known("--hints", self.hints(f"variable a@{address:#x} place=fine")) for address in at]
        self.assertEqual([said for said, _ in each], [[], []])
        self.assertEqual(sorted(known > NAMED_BYTES / 2 for _, known in each), [False, True])

    def test_a_fortran_programs(self):
        (self.folder / "app.f90").write_text("""
module fields
  real(8) :: grid(16, 16384)
end module
program app
  use fields
  real(8) :: s
  real(8), save :: mine(65536)
  real(8) :: c(65536)
  common /shared/ c
  integer :: k
  grid = 1
  mine = 1
  c = 1
  s = 0
  !$omp parallel num_threads(2)
  !$omp single
  do k = 1, 16
    !$omp task depend(in: grid(k, 1)) shared(s)
    !$omp atomic
    s = s + sum(grid(k, :))
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print '(i0)', int(s)
end program
""")
        subprocess.run(["gfortran", "-fopenmp", "app.f90", "-o", "app"], cwd=self.folder, check=True)
        names = {a["function"].split(".")[0] for a in self.recorded("--allocations")[2]["allocations"] if a["construct"] == "variable"}
        self.assertEqual(names, {"fields::grid", "mine", "shared_"})
        for name in ("grid", "fields::grid", "__fields_MOD_grid", "mine", "shared", "shared_"):
            done = self.einkorn("run", "--hints", self.hints(f"variable {name} place=fine"), "--", "./app")
            self.assertEqual((done.returncode, done.stdout, self.messages(done.stderr)), (0, "262144\n", []), name)

    def test_what_is_not_here(self):
        self.build()
        (self.folder / "app.hints").write_text("einkorn-hints 1\nobject libother.so\nvariable x place=fine\nvariable y place=fine\nobject app\nvariable a place=fine\n")
        said, known = self.known("--hints", "app.hints")
        self.assertEqual(said, ["einkorn: app.hints: libother.so is neither this program nor one of the libraries that are loaded with it: 2 of its "
                                "lines without addresses are ignored"])
        self.assertGreaterEqual(known, NAMED_BYTES / 2)

    def test_in_a_library_and_of_templates(self):
        (self.folder / "lib.cpp").write_text("namespace n { template <class T> T a[16 << 14]; double *get() { return a<double>; } }\n")
        subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", "lib.cpp", "-o", "lib.so"], cwd=self.folder, check=True)
        user = NAMED.replace("OTHERS", "namespace n { double *get(); }").replace("double a[kParts * kPart];\n", "").replace(
            "double sum = 0;", "double sum = 0, *a = n::get();", 1)
        (self.folder / "app.cpp").write_text(user)
        subprocess.run(["g++", "-fopenmp", "app.cpp", "lib.so", "-Wl,-rpath,$ORIGIN", "-o", "app"], cwd=self.folder, check=True)
        for name in ("n::a<double>", "_ZN1n1aIdEE"):
            said, known = self.known("--hints", self.hints(f"variable {name} place=blocked", of="lib.so"))
            self.assertEqual(said, [])
            self.assertGreaterEqual(known, NAMED_BYTES * 15 / 16 - 2 * 4096)

    def test_only_memory_that_the_file_writes_to(self):
        self.build("-Wl,--build-id=none")
        for at in ("0x0-0x2000", "0x10-0x7fffffff0000", "0x7fff00000000-0x7fff00001000"):
            said, known = self.known("--hints", self.hints(f"variable a at {at} place=fine"))
            self.assertEqual(known, 0)
            self.assertIn('"a place=fine" is not applied: no variable of that file is there', said[0])

    def test_without_the_tool(self):
        """No library of ours stands before malloc() for it."""
        self.build()
        symbols = subprocess.run(["nm", "-S", "app"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        begin, size = next((int(w[0], 16), int(w[1], 16)) for w in map(str.split, symbols.splitlines()) if w[-1] == "a")
        build_id = subprocess.run(["readelf", "-n", "app"], cwd=self.folder, capture_output=True, text=True, check=True).stdout.split("Build ID: ")[1].split()[0]
        (self.folder / "app.hints").write_text(f"einkorn-hints 1\nobject app {build_id}\nvariable a at 0x{begin:x}-0x{begin + size:x} place=fine\n")
        done = self.einkorn("record", "-o", "app.grain", "--no-report", "--machine", "numa:4 core:2", "--", "./app",
                            env={"EINKORN_HINTS": str(self.folder / "app.hints")})
        self.assertEqual((done.returncode, done.stdout), (0, "262144\n"), done.stderr)
        report = json.loads(self.einkorn("report", "--json", "app.grain").stdout)
        self.assertGreaterEqual(report["locality"]["footprint"]["known_bytes"], NAMED_BYTES * 15 / 16 - 2 * 4096)


if __name__ == "__main__":
    main()

"""Reports of stripped libraries: which names are missing, what the report says of them, and --symbols."""
import json
import shutil
import subprocess

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


if __name__ == "__main__":
    main()

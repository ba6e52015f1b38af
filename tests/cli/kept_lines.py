"""Source lines that a recording keeps: of programs that were rebuilt, moved or removed since, and what is not added to."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness import BUILD, CLANG, TASKS, CliTest, main

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "truth" / "reader"))
from grain_file import GrainFile  # noqa: E402

PROGRAM = r"""
static volatile int sink;
static inline __attribute__((always_inline)) void make(int i) {
  #pragma omp task
  sink = i;
}
int main(void) {
  #pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < 20; ++i) sink = i;  // the loop
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < 9; ++i) make(i);
  return 0;
}
"""


class KeptLines(CliTest):
    def record(self, *words, program="./app", **env):
        done = self.einkorn("record", "-o", "r.grain", *words, "--", program, env={"OMP_NUM_THREADS": "2", **env})
        self.assertEqual(done.returncode, 0, done.stderr)

    def report(self, file="r.grain"):
        done = self.einkorn("report", "--json", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertTrue(told["complete"])
        return told["sources"]

    def page(self, *words):
        done = self.einkorn("report", "r.grain", "--html", "p.html", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "p.html").read_text()

    def test_a_program_that_is_rebuilt_or_gone(self):
        for compiler in ["gcc", CLANG]:
            for words in [(), ("--no-report",)]:
                with self.subTest(compiler=compiler, words=words):
                    app = self.compile(PROGRAM, "-g", "-Wl,--build-id", compiler=compiler)
                    self.record(*words)
                    before = self.report()
                    self.assertTrue({("loop", 8), ("task", 4)} <= {(s["construct"], s.get("line")) for s in before}, before)
                    self.compile("\n\n\n" + PROGRAM, "-g", "-O2", "-Wl,--build-id", compiler=compiler)
                    self.assertEqual(self.report(), before)
                    app.unlink()
                    self.assertEqual(self.report(), before)

    def test_a_program_without_a_build_id(self):
        self.compile(PROGRAM, "-g", "-Wl,--build-id=none")
        self.record()
        before = self.report()
        self.compile("\n\n\n" + PROGRAM, "-g", "-Wl,--build-id=none")
        self.assertEqual(self.report(), before)

    def test_what_a_second_reader_finds(self):
        self.compile(PROGRAM, "-g")
        self.record()
        file = GrainFile(self.folder / "r.grain")
        lines = {(file.sites[site].construct, line) for site, (_, line, *_) in file.lines.items()}
        self.assertTrue({("loop", 8), ("task", 4), ("parallel", 10)} <= lines, lines)
        sources = {(s.get("file"), s.get("line"), s.get("function")) for s in self.report()}
        for name, line, function, *_ in file.lines.values():
            self.assertIn((name or None, line or None, function or None), sources)
        text = (self.folder / "app.c").read_text().splitlines()
        for (name, line), row in file.texts.items():
            self.assertEqual((Path(name).name, row), ("app.c", text[line - 1]))
        self.assertTrue({("app.c", 8), ("app.c", 4)} <= {(Path(name).name, line) for name, line in file.texts})

    def test_the_text_of_a_source_that_changed(self):
        self.compile(PROGRAM, "-g")
        self.record()
        self.assertNotIn("has changed since", self.page())
        source = self.folder / "app.c"
        source.write_text(PROGRAM.replace("the loop", "another text"))
        page = self.page()
        self.assertIn("// the loop", page)
        self.assertNotIn("another text", page)
        self.assertIn("has changed since", page)
        source.unlink()
        self.assertIn("// the loop", self.page())
        self.assertNotIn("// the loop", self.page("--no-source"))

    def test_no_text_where_it_is_not_wanted(self):
        self.compile(PROGRAM, "-g")
        self.record("--no-source")
        (self.folder / "app.c").unlink()
        (self.folder / "app").unlink()
        self.assertIn(8, [s.get("line") for s in self.report()])
        self.assertNotIn("// the loop", self.page())
        self.assertEqual(GrainFile(self.folder / "r.grain").texts, {})

    def test_text_only_of_source_files(self):
        """A program's debug information may name any file."""
        secret = self.folder / "secret.c"
        secret.symlink_to("/etc/passwd")
        self.compile(PROGRAM.replace("int main", f'#line 1 "{secret}"\nint main'), "-g")
        self.record()
        self.assertNotIn("root:", "\n".join(GrainFile(self.folder / "r.grain").texts.values()))
        self.assertTrue([s for s in self.report() if s.get("file", "").endswith("secret.c")])

    def test_a_program_that_puts_something_else_there(self):
        """What the name leads to after the run is not always the recording."""
        other = self.folder / "other.grain"
        self.compile(PROGRAM, "-g")
        self.record()
        shutil.copy(self.folder / "r.grain", other)
        as_it_was = other.read_bytes()
        replaced = self.compile(
            PROGRAM.replace("return 0;", "").replace("  sink = i;\n}", "  sink = i;\n}\nint symlink(const char *, const char *), unlink(const char *);"
                            "\n__attribute__((destructor(101))) static void last(void) { unlink(\"r.grain\"); symlink(\"other.grain\", \"r.grain\"); }"),
            "-g", name="replaced")
        done = self.einkorn("record", "-o", "r.grain", "--", replaced)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "r.grain").is_symlink())
        self.assertEqual(other.read_bytes(), as_it_was)

    def test_without_the_tool(self):
        self.compile(TASKS, "-g", "-Wl,--build-id")
        env = {"LD_PRELOAD": str(BUILD / "lib" / "libeinkorn.so"), "EINKORN_RECORD": "r.grain"}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("EINKORN_", "OMP_"))}
        subprocess.run(["./app"], cwd=self.folder, env={**clean, **env}, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(GrainFile(self.folder / "r.grain").lines, {})
        self.assertIn(8, [s.get("line") for s in self.report()])
        (self.folder / "app").unlink()
        self.assertEqual({s.get("line") for s in self.report()}, {None})


if __name__ == "__main__":
    main()

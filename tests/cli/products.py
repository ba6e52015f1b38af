"""What the tool writes besides recordings: whole or not at all, never over what it reads or over a recording, through links and pipes."""
import os
import re
import resource
import signal
import subprocess

from harness import CliTest, EINKORN, TASKS, main

# Nested deeper than the time line counts.
DEEP = r"""
static long deep(long n) {
  long r = 0;
  if (!n) return 0;
  #pragma omp task shared(r)
  r = deep(n - 1) + 1;
  #pragma omp taskwait
  return r;
}
int main(void) {
  long r = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  r = deep(70000);
  return r != 70000;
}
"""


class Products(CliTest):
    def setUp(self):
        super().setUp()
        self.app = self.compile(TASKS, "-g")
        self.record("r.grain")
        self.whole = (self.folder / "r.grain").read_bytes()

    def record(self, name, *more):
        done = self.einkorn("record", "--no-report", "-o", name, "--", self.app, env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def files(self):
        return sorted(f.name for f in self.folder.iterdir())

    def test_never_over_what_is_read(self):
        """Whatever the verb, and by whatever name."""
        (self.folder / "model.json").write_text(self.einkorn("machine", "--machine", "numa:2 core:2", "--json").stdout)
        model = (self.folder / "model.json").read_text()
        os.link(self.folder / "r.grain", self.folder / "hard.grain")
        (self.folder / "link.svg").symlink_to("r.grain")
        (self.folder / "other.grain").write_bytes(self.whole)
        before = self.files()
        for out in ["r.grain", "./r.grain", "hard.grain", "link.svg", "other.grain"]:
            for command in (
                ["report", "r.grain", "--html", out],
                ["report", "other.grain", "--baseline", "r.grain", "--html", out],
                ["compare", "r.grain", "other.grain", "--html", out],
                ["machine", "--picture", out],
                ["export", "r.grain", "--to", "csv", "-o", out],
                ["export", "r.grain", "--to", "perfetto", "-o", out],
                ["export", "r.grain", "--to", "otf2", "-o", out],
                ["simulate", "r.grain", "--threads", "1", "--with", "other.grain", "-o", out],
            ):
                with self.subTest(command=command):
                    self.assert_refused(self.einkorn(*command), 125, out)
        self.assert_refused(self.einkorn("machine", "--machine", "model.json", "--picture", "model.json"), 125, "model.json")
        self.assert_refused(self.einkorn("simulate", "r.grain", "--threads", "1", "--plot", "link.svg"), 125, "link.svg")
        self.assertEqual((self.folder / "model.json").read_text(), model)
        for name in ["r.grain", "other.grain"]:
            self.assertEqual((self.folder / name).read_bytes(), self.whole)
        self.assertEqual(self.files(), before)
        with open(self.folder / "r.grain", "ab") as out:  # opened by the shell, as >> does
            done = subprocess.run([EINKORN, "export", "r.grain", "--to", "csv", "-o", "-"], cwd=self.folder, stdout=out, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 125)
        self.assertEqual((self.folder / "r.grain").read_bytes(), self.whole)

    def test_the_default_name_may_be_the_recordings(self):
        os.rename(self.folder / "r.grain", self.folder / "r.csv")
        self.assert_refused(self.einkorn("export", "r.csv", "--to", "csv"), 125, "r.csv", "-o")
        self.assertEqual((self.folder / "r.csv").read_bytes(), self.whole)

    def test_what_was_there_stays_where_writing_fails(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        self.assertEqual(self.einkorn("simulate", "--program", "flat:10:4", "--threads", "1", "--machine", "core:1").returncode, 0)
        for name, command in (
            ("page.html", ["report", "r.grain", "--html", "page.html"]),
            ("pair.html", ["compare", "r.grain", "r.grain", "--html", "pair.html"]),
            ("machine.svg", ["machine", "--machine", "uv2000-24x8", "--picture", "machine.svg"]),
            ("plot.svg", ["simulate", "--program", "flat:10:4", "--machine", "core:4", "--plot", "plot.svg"]),
            ("t.csv", ["export", "r.grain", "--to", "csv", "-o", "t.csv"]),
        ):
            with self.subTest(name=name):
                file = self.folder / name
                file.write_text("precious")
                file.chmod(0o640)
                self.assert_refused(self.einkorn(*command, preexec_fn=small_files), 125, name, "File too large")
                self.assertEqual(file.read_text(), "precious")
                self.assertEqual(self.einkorn(*command).returncode, 0)
                self.assertGreater(file.stat().st_size, 1024)
                self.assertEqual(file.stat().st_mode & 0o777, 0o640)
        self.assertEqual([f for f in self.files() if ".tmp" in f or f.startswith(".")], [])

    def test_links_stay_links(self):
        (self.folder / "pages").mkdir()
        (self.folder / "there.html").symlink_to("pages/a.html")
        (self.folder / "pages" / "a.html").write_text("old")
        (self.folder / "nothing.html").symlink_to("pages/b.html")
        for name in ["there.html", "nothing.html"]:
            self.assertEqual(self.einkorn("report", "r.grain", "--html", name).returncode, 0)
            self.assertTrue((self.folder / name).is_symlink())
            self.assertIn("<html", (self.folder / name).read_text())

    def test_what_is_open_already_is_written_to(self):
        with open(self.folder / "all", "wb") as out:
            for name in ["/dev/stdout", "/dev/fd/1", "-"]:
                out.write(b"before\n")
                out.flush()
                done = subprocess.run([EINKORN, "export", "r.grain", "--to", "csv", "-o", name], cwd=self.folder, stdout=out, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)
                out.seek(0, os.SEEK_END)
        text = (self.folder / "all").read_text()
        self.assertEqual(text.count("before\n"), 3)
        self.assertEqual(text.count("grain,id,"), 3)
        done = subprocess.run(["sh", "-c", '"$0" report r.grain --html /dev/stdout | cat', EINKORN], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("<html", done.stdout)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        reader = subprocess.Popen(["sh", "-c", "cat fifo > read.html"], cwd=self.folder)
        self.assertEqual(self.einkorn("report", "r.grain", "--html", "fifo").returncode, 0)
        reader.wait(timeout=60)
        self.assertIn("<html", (self.folder / "read.html").read_text())


class Folders(CliTest):
    """OTF2 is a folder: nothing in it is deleted that we have not made."""

    def setUp(self):
        super().setUp()
        app = self.compile(TASKS)
        self.assertEqual(self.einkorn("record", "--no-report", "-o", "r.grain", "--", app).returncode, 0)

    def export(self, folder):
        return self.einkorn("export", "r.grain", "--to", "otf2", "-o", folder)

    def content(self, folder):
        return {str(f.relative_to(self.folder)): f.read_bytes() for f in (self.folder / folder).rglob("*") if f.is_file()}

    def test_another_tools_folder_stays(self):
        run = self.folder / "scorep-run"
        (run / "traces").mkdir(parents=True)
        for name in ["traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"]:
            (run / name).write_text("creator=Score-P\n")
        for more in [None, "profile.cubex"]:
            if more:
                (run / more).write_text("profile of a night")
            before = self.content(run)
            self.assert_refused(self.export("scorep-run"), 125, "scorep-run", "-o")
            self.assertEqual(self.content(run), before)

    def test_what_has_come_into_ours_stays(self):
        self.assertEqual(self.export("t.otf2").returncode, 0)
        self.assertEqual(self.export("t.otf2").returncode, 0)
        for name in ["notes.txt", "traces/notes.txt", "traces/notes", "link.def"]:
            added = self.folder / "t.otf2" / name
            if name.endswith("notes"):
                added.mkdir()
            elif name.endswith("def"):
                added.symlink_to("traces.def")
            else:
                added.write_text("precious")
            before = self.content("t.otf2")
            self.assert_refused(self.export("t.otf2"), 125, "something else")
            self.assertEqual(self.content("t.otf2"), before)
            added.rmdir() if added.is_dir() else added.unlink()
        self.assertEqual(self.export("t.otf2").returncode, 0)
        self.assertEqual([f.name for f in self.folder.iterdir() if "tmp" in f.name], [])

    def test_a_deep_recursion(self):
        app = self.compile(DEEP, name="deep")
        done = self.einkorn("record", "--no-report", "-o", "deep.grain", "--", app)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.einkorn("export", "deep.grain", "--to", "otf2", "-o", "deep.otf2")
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = subprocess.run(["otf2-print", "deep.otf2/traces.otf2"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(len(re.findall(r"^THREAD_TASK_COMPLETE", printed.stdout, re.M)), 70000)
        depth = {}
        for kind, location in re.findall(r"^(ENTER|LEAVE) +(\d+)", printed.stdout, re.M):
            depth[location] = depth.get(location, 0) + (1 if kind == "ENTER" else -1)
            self.assertGreaterEqual(depth[location], 0)
        self.assertEqual(set(depth.values()), {0})


# Names with codes that a terminal would obey: a title, the C1 control characters, the direction of writing.
EVIL = "\x1b]0;x\x07\u009b31m\u202etxt\x7f\r"


class Terminals(CliTest):
    """Text chosen by somebody else cannot control the terminal."""

    def assert_tame(self, done):
        for text in (done.stdout, done.stderr):
            bad = re.findall(r"[^\n -~\u00a0-\u200a\u2010-\u2027\u2030-\u205f\u2070-\uffff]", text)
            self.assertEqual(bad, [], text)

    def test_names(self):
        program = self.compile(TASKS, "-g")
        evil = self.folder / f"app{EVIL}"
        os.rename(program, evil)
        recording = f"r{EVIL}.grain"
        for command, told in (
            (["record", "-o", recording, "--baseline", "--", evil, EVIL], ["recorded in", "baseline:", "tasks"]),
            (["record", "-o", recording, "--", "true"], ["is of another run"]),
            (["record", "-o", f"n{EVIL}%p.grain", "--", "sh", "-c", '"$0"; "$0"; :', evil], ["1 further process recorded", "Further processes"]),
            (["record", "-o", f"no/{EVIL}", "--", evil], ["cannot be written"]),
        ):
            with self.subTest(command=command):
                done = self.einkorn(*command)
                for text in told:
                    self.assertIn(text, done.stderr)
                self.assert_tame(done)
        for command in (
            ["report", recording],
            ["report", recording, "--json"],
            ["report", recording, "--baseline", recording],
            ["report", recording, "--html", f"{EVIL}.html"],
            ["compare", recording, recording],
            ["compare", recording, recording, "--json"],
            ["compare", recording, recording, "--html", f"{EVIL}.html"],
            ["export", recording, "--to", "perfetto", "-o", f"{EVIL}.perfetto"],
            ["simulate", recording, "--threads", "1"],
            ["simulate", recording, "--threads", "1", "--json"],
            ["simulate", recording, "--threads", "1", "--plot", f"{EVIL}.svg"],
        ):
            with self.subTest(command=command[0], option=command[2:3]):
                done = self.einkorn(*command)
                self.assertIn(done.returncode, (0, 125), done.stderr)  # 125: its times are not valid
                self.assert_tame(done)

    def test_command_lines(self):
        for command in (["report", EVIL], ["report", "x", f"--{EVIL}"], [EVIL], ["simulate", "--program", EVIL], ["simulate", "--machine", EVIL, "x"],
                        ["machine", "--machine", EVIL], ["machine", "--picture", f"no/{EVIL}"], ["export", "x", "--to", EVIL], ["run", "--", EVIL],
                        ["run", "--schedule", EVIL, "--", "true"], ["simulate", "--schedule", EVIL, "--program", "flat:10:4"],
                        ["simulate", "x", "--threads", EVIL], ["view", EVIL], ["compare", EVIL, EVIL]):
            with self.subTest(command=command):
                done = self.einkorn(*command)
                self.assertNotEqual(done.returncode, 0)
                self.assert_tame(done)


class Sources(CliTest):
    """Source files of a page are the program's, not what a recording names."""

    def test_only_the_programs_own(self):
        for folder in ["project/src", "project/build", "elsewhere", "here"]:
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "elsewhere" / "secret.inc").write_text("hunter2 /* a line that is not the program's */\n" * 3)
        (self.folder / "project" / "src" / "main.c").write_text(r"""
int x;
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp task
    x += 1;  /* mine */
    #line 2 "SECRET"
    #pragma omp task
    x += 2;
    #line 1 "/proc/self/environ"
    #pragma omp task
    x += 3;
  }
  return 0;
}
""".replace("SECRET", str(self.folder / "elsewhere" / "secret.inc")))
        subprocess.run(["gcc", "-g", "-O0", "-fopenmp", "../src/main.c", "-o", "app"], cwd=self.folder / "project" / "build", check=True)
        # A recording keeps text by the same rule as a page: nothing of a file outside of where it is made.
        build = self.folder / "project" / "build"
        done = self.einkorn("record", "--no-report", "-o", "../../r.grain", "--", build / "app", cwd=build)
        self.assertEqual(done.returncode, 0, done.stderr)
        here = self.folder / "here"
        for command in (["report", "../r.grain"], ["compare", "../r.grain", "../r.grain"]):
            done = self.einkorn(*command, "--html", "p.html", cwd=here, env={"SECRET": "swordfish"})
            self.assertEqual(done.returncode, 0, done.stderr)
            page = (here / "p.html").read_text()
            self.assertIn("/* mine */", page)
            for secret in ["hunter2", "swordfish"]:
                self.assertNotIn(secret, page)
            wrote, told = done.stderr.splitlines()
            self.assertIn("secret.inc", told)
            self.assertIn("/proc/self/environ", told)
            self.assertIn("--source-root", told)
        # Files that the user allows are read, and no others.
        done = self.einkorn("report", "../r.grain", "--html", "p.html", "--source-root", "../elsewhere", cwd=here, env={"SECRET": "swordfish"})
        page = (here / "p.html").read_text()
        self.assertIn("hunter2", page)
        self.assertNotIn("swordfish", page)
        self.assertNotIn("secret.inc", done.stderr)
        done = self.einkorn("report", "../r.grain", "--html", "p.html", "--no-source", cwd=here)
        self.assertEqual(done.stderr, "einkorn: wrote p.html\n")
        self.assert_refused(self.einkorn("report", "../r.grain", "--html", "p.html", "--source-root", "../none", cwd=here), 125, "--source-root", "none")
        self.assert_refused(self.einkorn("report", "../r.grain", "--source-root", "../elsewhere", cwd=here), 125, "--source-root", "--html")


if __name__ == "__main__":
    main()

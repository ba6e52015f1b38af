"""What a recording or a command line names: files that are none, - for a file, text that a terminal would obey."""
import os
import subprocess
import unittest

from harness import BUILD, CliTest, EINKORN, HELLO, TASKS, main


class Named(CliTest):
    def test_binaries_and_sources_that_are_no_files(self):
        """A recording may name a FIFO as its binary or its source: nobody waits for a writer."""
        app = self.compile(TASKS, "-g")
        recording = self.folder / "r.grain"
        self.einkorn("record", "--no-report", "-o", recording, "--", app)
        sources = [f for f in self.folder.iterdir() if f.suffix == ".c"]
        self.assertTrue(sources)
        for file in (app, *sources):
            os.unlink(file)
            os.mkfifo(file)
        for words in (["report", recording], ["report", recording, "--html", self.folder / "r.html"], ["report", recording, "--json"],
                      ["compare", recording, recording]):
            done = subprocess.run([EINKORN, *map(str, words)], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_dash_is_no_file(self):
        app = self.compile(HELLO)
        (self.folder / "app.c").write_text(TASKS)
        grain = self.folder / "r.grain"
        self.einkorn("record", "--no-report", "-o", grain, "--", app)
        folder = self.folder / "empty"
        folder.mkdir()
        for words, says in ((["record", "-o", "-", "--", app], "standard output"), (["codelets", self.folder / "app.c", "-o", "-"], "folder"),
                            (["tune", "-o", "-", "--", app], "standard output"), (["simulate", grain, "--schedule", "ws", "--threads", "2", "-o", "-"], "standard output"),
                            (["export", grain, "--to", "csv", "-o", "-"], None), (["report", grain, "--html", "-"], None)):
            done = subprocess.run([EINKORN, *map(str, words)], capture_output=True, timeout=300, cwd=folder)
            if says:
                self.assertNotEqual(done.returncode, 0, words)
                self.assertIn(says, done.stderr.decode(), words)
            self.assertEqual(list(folder.iterdir()), [], words)

    def test_what_a_terminal_obeys(self):
        app = self.compile(HELLO)
        env = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib")}
        for settings in ({"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "\x1b]0;title\x07%n\x9b31m"}, {"EINKORN_MACHINE": "no\x1b[2Jsuch"}):
            done = subprocess.run([app], env={**env, **settings}, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"?", done.stderr)
            for bad in (b"\x1b", b"\x07", b"\x9b"):
                self.assertNotIn(bad, done.stderr, settings)

    @unittest.skipUnless((BUILD / "bin/einkorn-codelets").exists() or os.environ.get("CI"), "built without clang's libraries")
    def test_codelets_on_a_full_disk(self):
        """What stood there before stays, and nothing half written."""
        tool, out = BUILD / "bin/einkorn-codelets", self.folder / "out.c"
        (self.folder / "app.c").write_text(TASKS)
        out.write_text("before\n")
        words = [str(tool), str(self.folder / "app.c"), "-o", str(out), "--", "-fopenmp"]
        full = subprocess.run(["sh", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "sh", *words], capture_output=True, text=True, timeout=120)
        self.assertNotEqual(full.returncode, 0)
        self.assertIn("cannot be written", full.stderr)
        self.assertEqual(out.read_text(), "before\n")
        self.assertEqual([f.name for f in self.folder.iterdir() if f.name.startswith("out.c.")], [])
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("codelet", out.read_text())


if __name__ == "__main__":
    main()

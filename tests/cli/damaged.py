"""einkorn report on files that are not recordings, or only half of one: a clear message or what can be read, never a crash."""
import json
import os
import random
import struct
import subprocess

from harness import CliTest, EINKORN, TASKS, main

HEADER_BYTES = 64  # docs/grain-file.md


class Refused(CliTest):
    def refuse(self, path, *fragments, **how):
        for options in [[], ["--json"], ["--html", self.folder / "page.html"]]:
            with self.subTest(options=options):
                self.assert_refused(self.einkorn("report", path, *options, **how), 125, *fragments)
        self.assertFalse((self.folder / "page.html").exists())

    def test_missing(self):
        self.refuse("missing.grain", "missing.grain", "No such file or directory")

    def test_directory_and_devices(self):
        self.refuse(self.folder, self.folder)
        self.refuse("/dev/null", "/dev/null")
        self.refuse("/dev/zero", "/dev/zero")

    def test_pipe_that_nobody_writes(self):
        os.mkfifo(self.folder / "fifo")
        self.refuse("fifo", "fifo", timeout=20)

    def test_empty_file(self):
        (self.folder / "empty.grain").write_bytes(b"")
        self.refuse("empty.grain", "empty.grain", "empty")

    def test_something_else(self):
        (self.folder / "thesis.tex").write_text("\\documentclass{article}" * 100)
        self.refuse("thesis.tex", "thesis.tex", "is not a recording")
        (self.folder / "short").write_text("x")
        self.refuse("short", "short", "is not a recording")

    def test_no_permission(self):
        path = self.folder / "shut.grain"
        path.write_bytes(b"EINKORN\n")
        path.chmod(0)
        self.assert_refused(self.einkorn("report", path, unprivileged=True), 125, path, "Permission denied")

    def test_a_later_version(self):
        path = self.folder / "later.grain"
        path.write_bytes(struct.pack("<8sIIQ40x", b"EINKORN\n", 99, HEADER_BYTES, 10**9))
        self.refuse(path, path, "version 99")


class Damaged(CliTest):
    def setUp(self):
        super().setUp()
        app = self.compile(TASKS)
        done = self.einkorn("record", "--no-report", "-o", "whole.grain", "--", app)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.whole = (self.folder / "whole.grain").read_bytes()
        self.assertEqual(self.report(self.whole)["tasks"], 100)

    def report(self, content):
        """The JSON report; None: refused, with one message."""
        path = self.folder / "damaged.grain"
        path.write_bytes(content)
        done = self.einkorn("report", path, "--json", timeout=60)
        if done.returncode == 0:
            return json.loads(done.stdout)
        self.assert_refused(done, 125, path)
        return None

    def test_cut_off_anywhere(self):
        # Every part of the file header, then steps of a prime number of bytes: within and between blocks.
        sizes = [0, 1, 7, 8, 12, 63, 64, 65, *range(66, len(self.whole), 97), len(self.whole) - 1]
        told = []
        for size in sizes:
            with self.subTest(size=size):
                report = self.report(self.whole[:size])
                if size < HEADER_BYTES:
                    self.assertIsNone(report)
                elif report:
                    told.append(report["tasks"])
        self.assertEqual(told, sorted(told))  # more of the file is never less of the recording
        self.assertEqual(told[-1], 100)

    def test_changed_bytes_anywhere(self):
        seed = 2026
        generator = random.Random(seed)
        for attempt in range(150):
            with self.subTest(seed=seed, attempt=attempt):
                content = bytearray(self.whole)
                for _ in range(generator.choice([1, 1, 4, 64])):
                    content[generator.randrange(8, len(content))] = generator.randrange(256)
                report = self.report(bytes(content))
                if report:
                    self.assertLessEqual(report["tasks"], 100)

    def test_a_hole_in_the_middle(self):
        third = len(self.whole) // 3
        for filler in [b"\0" * third, b"\xff" * third, b""]:
            with self.subTest(filler=filler[:1], length=len(filler)):
                report = self.report(self.whole[:third] + filler + self.whole[2 * third:])
                if report:
                    self.assertLessEqual(report["tasks"], 100)

    def test_the_text_report_says_that_it_is_incomplete(self):
        (self.folder / "damaged.grain").write_bytes(self.whole[:len(self.whole) * 3 // 4])
        done = self.einkorn("report", "damaged.grain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: the recording has no end", done.stdout)
        self.assertIn("warning: the file ends in the middle of a block", done.stdout)

    def test_a_page_of_a_damaged_recording(self):
        (self.folder / "damaged.grain").write_bytes(self.whole[:len(self.whole) * 3 // 4])
        done = self.einkorn("report", "damaged.grain", "--html", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<html", (self.folder / "page.html").read_text())

    def test_a_reader_that_stops_early(self):
        # `einkorn report x.grain | head -1`: no message, SIGPIPE or not.
        done = subprocess.run(["sh", "-c", '"$0" report whole.grain | head -1', EINKORN], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    main()

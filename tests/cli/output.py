"""Where recordings and reports go: names, what is in the way, no permission, full disks."""
import contextlib
import os
import socket
import subprocess
import time

from harness import CliTest, EINKORN, TASKS, main

MAGIC = b"EINKORN\n"

# About 13 MB of events: more than the small disks of these tests.
MANY_TASKS = r"""
#include <stdio.h>
int main(void) {
  long sum = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 400000; ++i)
    #pragma omp task shared(sum)
    {
      #pragma omp atomic
      sum += i;
    }
  printf("%ld\n", sum);
  return 3;
}
"""


class Names(CliTest):
    def record(self, *words, cwd=None, env=None):
        done = self.einkorn("record", "--no-report", *words, cwd=cwd, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_tasks(self, path, tasks=100):
        done = self.einkorn("report", path, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'"tasks":{tasks}', done.stdout.replace(" ", ""))

    def test_default_name_lies_in_the_working_directory(self):
        app = self.compile(TASKS)
        elsewhere = self.folder / "elsewhere%p"
        elsewhere.mkdir()
        done = self.record("--", app, cwd=elsewhere)
        self.assertEqual(done.stderr, f"einkorn: recorded in {elsewhere}/app.grain\n")
        self.assert_tasks(elsewhere / "app.grain")

    def test_the_program_may_change_its_directory(self):
        app = self.compile(TASKS)
        script = self.folder / "script"
        script.write_text(f"#!/bin/sh\ncd /\nexec {app}\n")
        script.chmod(0o755)
        self.record("-o", "out.grain", "--", script)
        self.assert_tasks(self.folder / "out.grain")

    def test_host_process_and_rank(self):
        app = self.compile(TASKS)
        done = self.record("-o", "a.%h.%p.%r.100%%.grain", "--", app, env={"PMI_RANK": "7"})
        name, = [f.name for f in self.folder.glob("*.grain")]
        self.assertRegex(name, rf"^a\.{socket.gethostname()}\.\d+\.7\.100%\.grain$")
        self.assertEqual(done.stderr, f"einkorn: recorded in {self.folder}/{name}\n")
        self.assert_tasks(name)

    def test_a_recording_of_that_name_is_replaced(self):
        app = self.compile(TASKS)
        (self.folder / "app.grain").write_bytes(MAGIC + b"an older one")
        (self.folder / "real.grain").write_bytes(MAGIC)
        (self.folder / "link.grain").symlink_to("real.grain")
        (self.folder / "empty.grain").write_bytes(b"")
        for name in ["app.grain", "link.grain", "empty.grain"]:
            with self.subTest(name=name):
                self.record("-o", name, "--", app)
                self.assert_tasks(name)
        self.assertEqual((self.folder / "real.grain").read_bytes(), MAGIC)

    def test_further_processes_write_their_own_files_and_old_ones_are_not_told(self):
        app = self.compile(TASKS)
        old = self.folder / "app.1.grain"
        old.write_bytes(MAGIC)
        os.utime(old, (time.time() - 100,) * 2)
        for name, pattern in [("app.grain", "app.*.grain"), ("p%p.grain", "p*.grain")]:
            with self.subTest(name=name):
                done = self.record("-o", name, "--", "sh", "-c", f"{app}; {app}; {app}")
                first, further = done.stderr.splitlines()
                self.assertTrue(further.startswith("einkorn: 2 further processes recorded, in "), further)
                told = {first.split(" in ")[1], *further.split(", in ")[1].split()}
                found = {str(f) for f in self.folder.glob(pattern)} | {first.split(" in ")[1]}
                self.assertEqual(told, found - {str(old)})
                self.assertEqual(len(told), 3)
                for file in told:
                    self.assert_tasks(file)


class InTheWay(CliTest):
    def refuse(self, output, *fragments, **how):
        """125, one message, and the program was not run."""
        self.assert_refused(self.einkorn("record", "-o", output, "--", "touch", self.folder / "ran", **how), 125, *fragments)
        self.assertFalse((self.folder / "ran").exists())

    def test_a_file_that_is_no_recording(self):
        precious = self.folder / "thesis.tex"
        precious.write_text("precious")
        self.refuse("thesis.tex", "thesis.tex", "is not a recording", "-o")
        self.assertEqual(precious.read_text(), "precious")

    def test_a_directory(self):
        self.refuse(self.folder, "is a directory", "-o")

    def test_no_such_directory(self):
        self.refuse("no/such/app.grain", "No such file or directory", "-o")
        self.refuse("no/such/%p.grain", "No such file or directory", "-o")

    def test_a_file_as_directory(self):
        (self.folder / "file").write_text("")
        self.refuse("file/app.grain", "Not a directory", "-o")

    def test_a_name_too_long(self):
        self.refuse("x" * 300, "File name too long", "-o")
        self.refuse("x/" * 3000, "too long", "-o")

    def test_no_permission(self):
        shut = self.folder / "shut"
        shut.mkdir(0o755)
        self.refuse("shut/app.grain", "Permission denied", "-o", unprivileged=True)
        self.refuse("shut/%p.grain", "Permission denied", "-o", unprivileged=True)
        # The default name, if no files can be made in the working directory.
        done = self.einkorn("record", "--", "true", cwd=shut, unprivileged=True)
        self.assert_refused(done, 125, shut / "true.grain", "Permission denied")

    def test_a_recording_that_may_not_be_replaced(self):
        shut = self.folder / "shut"
        shut.mkdir()
        (shut / "app.grain").write_bytes(MAGIC)
        shut.chmod(0o755)
        self.refuse("shut/app.grain", "cannot be replaced", "Permission denied", unprivileged=True)

    def test_read_only_file_system(self):
        with small_disk(self.folder / "disk", "ro"):
            self.refuse("disk/app.grain", "Read-only file system", "-o")

    def test_missing_program_is_told_before_the_output_is_touched(self):
        (self.folder / "app.grain").write_bytes(MAGIC)
        self.assert_refused(self.einkorn("record", "-o", "app.grain", "--", "./missing"), 127, "./missing")
        self.assertTrue((self.folder / "app.grain").exists())


@contextlib.contextmanager
def small_disk(folder, options):
    """A file system of its own; takes root, which the tests are run as."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "einkorn-test", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


class FullDisk(CliTest):
    def check(self, done):
        """The program went on to its own end; one warning."""
        self.assertEqual((done.returncode, done.stdout), (3, "79999800000\n"), done.stderr)
        warnings = self.messages(done.stderr)
        self.assertEqual(len(warnings), 1, done.stderr)
        self.assertRegex(warnings[0], "recording stopped|not recording")  # the header alone may find room, or not
        self.assertIn("No space left on device", warnings[0])

    def test_disk_full_from_the_start(self):
        app = self.compile(MANY_TASKS)
        with small_disk(self.folder / "disk", "size=64k") as disk:
            with contextlib.suppress(OSError), open(disk / "ballast", "wb", buffering=0) as ballast:
                while True:
                    ballast.write(bytes(4096))
            self.check(self.einkorn("record", "-o", disk / "app.grain", "--", app))

    def test_disk_full_amid_the_run(self):
        app = self.compile(MANY_TASKS)
        with small_disk(self.folder / "disk", "size=256k") as disk:
            self.check(self.einkorn("record", "-o", disk / "app.grain", "--", app))
            # What was written before is valid.
            done = self.einkorn("report", disk / "app.grain", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_full_device(self):
        app = self.compile(MANY_TASKS)
        self.check(self.einkorn("record", "-o", "/dev/full", "--", app))

    def test_null_device(self):
        app = self.compile(TASKS)
        done = self.einkorn("record", "-o", "/dev/null", "--", app)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "4950\n", ""))


class Reports(CliTest):
    def setUp(self):
        super().setUp()
        app = self.compile(TASKS)
        self.assertEqual(self.einkorn("record", "--no-report", "--", app).returncode, 0)

    def test_page_that_cannot_be_written(self):
        self.assert_refused(self.einkorn("report", "app.grain", "--html", "no/such/page.html"), 125, "no/such/page.html",
                            "No such file or directory")
        (self.folder / "shut").mkdir(0o755)
        (self.folder / "app.grain").chmod(0o644)  # else its owner alone reads it
        self.assert_refused(self.einkorn("report", "app.grain", "--html", "shut/page.html", unprivileged=True), 125,
                            "shut/page.html", "Permission denied")

    def test_page_on_a_full_disk(self):
        self.assert_refused(self.einkorn("report", "app.grain", "--html", "/dev/full"), 125, "/dev/full",
                            "No space left on device")

    def test_report_on_a_full_disk(self):
        for option in [[], ["--json"]]:
            with self.subTest(option=option), open("/dev/full", "w") as full:
                done = subprocess.run([EINKORN, "report", "app.grain", *option], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 125)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    main()

"""The costs of the runtime's constructs on this machine: measured at the first recording, kept in the user's cache folder.

What is kept, and when it is measured again, is in tests/unit/cli_kept_costs_test.cpp: there a measurement says what the test
wants, here what the machine does."""
import fcntl
import json
import os
import re
import subprocess
import time

from harness import EINKORN, CliTest, main

PRINTS = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  #pragma omp parallel num_threads(2)
  ;
  const char *costs = getenv("EINKORN_RECORD_COSTS");
  puts(costs ? costs : "none");
}
"""


class Costs(CliTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "a cache"
        self.app = self.compile(PRINTS)

    def record(self):
        done = self.einkorn("record", "--no-report", "-o", "a.grain", "--", self.app, env={"XDG_CACHE_HOME": str(self.cache)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def kept(self):
        [file] = (self.cache / "einkorn").glob("costs-*.txt")
        return file

    def test_measured_once(self):
        self.record()
        file = self.kept()
        what, costs, *_ = file.read_text().splitlines()
        self.assertRegex(what, r"^einkorn \d")
        # No costs if others had the CPUs; the size of the cache is known all the same.
        self.assertRegex(costs, r"^(threads=0( cache=\d+)?|threads=\d+( (gomp|kmpc)\.\w+=[\d.e+-]+/[\d.e+-]+)+( \w+=[\d.e+/-]+)*)$")
        self.record()
        # How far two CPUs are from each other is asked each time, as a host moves them.
        but_lines = lambda text: re.sub(r" line=[\d.e+/]+", "", text)
        self.assertEqual(but_lines("\n".join(self.kept().read_text().splitlines()[:2])), but_lines(f"{what}\n{costs}"))

    def test_where_nothing_was_found_it_is_tried_again_but_later(self):
        self.record()
        file = self.kept()
        file.write_text(file.read_text().splitlines()[0] + "\nthreads=0\n")  # as on a busy machine
        self.record()
        self.assertRegex(file.read_text(), r"\nthreads=0\n$")
        then = time.time() - 3600
        os.utime(file, (then, then))
        self.record()
        self.assertGreater(self.kept().stat().st_mtime, then + 1800)

    def test_whoever_has_real_time_priority_lets_others_begin(self):
        before = ["chrt", "--fifo", "1"]
        if subprocess.run([*before, "true"], capture_output=True).returncode:
            self.skipTest("not permitted")
        self.record()
        command = [*before, EINKORN, "record", "--no-report", "-o", self.folder / "b.grain", "--", self.app]
        self.kept().write_text(self.kept().read_text().splitlines()[0] + "\nthreads=7 line=0.001/0.001\n")
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, env=os.environ | {"XDG_CACHE_HOME": str(self.cache)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_measures_and_others_go_without(self):
        (self.cache / "einkorn").mkdir(parents=True)
        with open(self.cache / "einkorn" / "costs.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertRegex(self.record(), r"^(none|threads=0 cache=\d+)$")
        self.assertEqual(list((self.cache / "einkorn").glob("costs-*")), [])

    def test_what_is_kept_is_what_the_recorder_gets(self):
        self.record()
        file = self.kept()
        file.write_text(file.read_text().splitlines()[0] + "\nthreads=7 gomp.task=14/81 line=0.001/9e+08\n")
        self.assertRegex(self.record(), r"^threads=7 gomp\.task=14/81 line=0\.001/9e\+08(/[\d.]+)?( cache=\d+)?$")

    def test_the_cache_is_known_on_a_busy_machine(self):
        """The system says how large it is: that a program fits into it needs nobody to measure."""
        known = json.loads(self.einkorn("machine", "--json").stdout).get("llc_bytes")
        self.record()
        self.kept().write_text(self.kept().read_text().splitlines()[0] + "\nthreads=0\n")
        self.assertEqual(self.record(), f"threads=0 cache={known}" if known else "none")

    def test_a_cache_that_cannot_be_written_is_none(self):
        self.cache.write_text("not a folder")
        self.record()
        self.assertEqual(self.cache.read_text(), "not a folder")


if __name__ == "__main__":
    main()

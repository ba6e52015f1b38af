"""The costs of the runtime's constructs on this machine: measured at the first recording, kept in the user's cache folder."""
import fcntl
import os
import time

from harness import CliTest, main

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
        what, costs = file.read_text().splitlines()
        self.assertRegex(what, r"^einkorn \d")
        # No costs if others had the CPUs.
        self.assertRegex(costs, r"^(threads=0|threads=\d+( (gomp|kmpc)\.\w+=[\d.e+-]+/[\d.e+-]+)+( \w+=[\d.e+-]+(/[\d.e+-]+)?)*)$")
        before = file.stat().st_mtime_ns
        self.record()
        self.assertEqual(self.kept().stat().st_mtime_ns, before)

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

    def test_one_measures_and_others_go_without(self):
        (self.cache / "einkorn").mkdir(parents=True)
        with open(self.cache / "einkorn" / "costs.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual(self.record(), "none")
        self.assertEqual(list((self.cache / "einkorn").glob("costs-*")), [])

    def test_what_is_kept_is_what_the_recorder_gets(self):
        self.record()
        file = self.kept()
        file.write_text(file.read_text().splitlines()[0] + "\nthreads=7 gomp.task=14/81\n")
        self.assertEqual(self.record(), "threads=7 gomp.task=14/81")

    def test_a_cache_that_cannot_be_written_is_none(self):
        self.cache.write_text("not a folder")
        self.record()
        self.assertEqual(self.cache.read_text(), "not a folder")


if __name__ == "__main__":
    main()

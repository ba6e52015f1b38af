#!/usr/bin/env python3
"""Counters of a processor of another architecture. In an emulated machine whose processor counts every instruction it runs (qemu under
-icount), programs whose tasks have a known number of instructions are recorded (counted/counters.c); this machine's tool has to
find that number within 1 %, whether the kernel or the program itself reads the counters. Prints what a reading costs there.

  tests/cross/counters.py --build build-aarch64 --target aarch64 --sysroot build/sysroot-aarch64 --host build"""
import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import expected

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "counted" / "counters.c"
TASKS, INSTRUCTIONS = 20, 500_000  # of each, in its loop
READINGS = 2  # of a task
# Of two counters, with the record that has their counts: more than was measured (docs/reference.md), less than a system call.
MOST_BY_PAGE = 250


class Counted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        done = subprocess.run([sys.executable, HERE.parent / "numa" / "run.py", "--build", OPTIONS.build, "--target", OPTIONS.target,
                               "--sysroot", OPTIONS.sysroot, "--machine", "counted", "--programs", SOURCE.parent, "--show",
                               "--limit", "500", "--keep", cls.kept.name], stdout=subprocess.PIPE, text=True)
        print(done.stdout)
        cls.status, cls.said = done.returncode, done.stdout

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def report(self, way, compiler):
        return expected.report(OPTIONS.host.resolve() / "bin" / "einkorn", Path(self.kept.name, f"counters.{way}.{compiler}", f"{way}.grain"),
                               OPTIONS.build / "counted")

    def test_programs_end_well(self):
        self.assertEqual(self.status, 0)

    def test_a_loop_of_known_length(self):
        line = next(i for i, text in enumerate(SOURCE.read_text().splitlines(), 1) if text.endswith("/* counted */"))
        for compiler in COMPILERS:
            for way in ("calls", "pages", "watched"):
                counters = self.report(way, compiler)["counters"]
                self.assertEqual(counters["counted"][:2], ["cycles", "instructions"])
                counts, = (s["counts"] for s in counters["sources"] if s["kind"] == "task" and s.get("line") == line)
                for name in counters["counted"][:2]:  # a cycle is an instruction there
                    self.assertGreaterEqual(counts[name], TASKS * INSTRUCTIONS)
                    self.assertLess(counts[name], 1.01 * TASKS * INSTRUCTIONS, f"{way}, {compiler}: {name}")
                print(f"{compiler}, {way}: {counts} of {TASKS * INSTRUCTIONS}")

    def test_nothing_is_counted_unasked(self):
        for compiler in COMPILERS:
            self.assertNotIn("counters", self.report("none", compiler))

    def test_the_thread_itself_reads_for_less_than_the_kernel_does(self):
        found = re.findall(r"^(\w+): (\d+) tasks, (\d+) instructions", self.said, re.M)
        took = {way: [] for way in ("none", "calls", "pages", "watched")}
        for way, tasks, instructions in found:
            took[way].append(int(instructions) / int(tasks))
        self.assertEqual(len(took["none"]), len(COMPILERS), self.said)
        for none, calls, pages, watched in zip(*took.values(), strict=True):
            by_call, by_page, watched_too = ((way - none) / READINGS for way in (calls, pages, watched))
            print(f"a reading: {by_call:.0f} instructions by a system call, {by_page:.0f} by the thread itself; {watched_too:.0f} with "
                  "two of the kernel's that are watched")
            self.assertLess(by_page, MOST_BY_PAGE)
            self.assertLess(watched_too, 2 * MOST_BY_PAGE)
            self.assertLess(by_page, by_call / 2)


COMPILERS = ("gcc", "clang")
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for option in ("build", "sysroot", "host"):
    parser.add_argument(f"--{option}", type=Path, required=True)
parser.add_argument("--target", required=True)
OPTIONS, rest = parser.parse_known_args()
unittest.main(argv=[sys.argv[0], *rest])

#!/usr/bin/env python3
"""What a recording says of large blocks of memory, made on the emulated machine with four memory nodes (recorded/blocks.c), read by this
machine's tool: which lines allocate them, and on which nodes they really were.

  tests/numa/recorded.py --build BUILD [--target ARCHITECTURE --sysroot FOLDER --host BUILD]     HOST: the build that has the tool"""
import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "recorded" / "blocks.c"
BYTES = 8 * (5 << 15)


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.endswith(f"// {mark}"))


class Blocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        target = ["--target", OPTIONS.target, "--sysroot", OPTIONS.sysroot] if OPTIONS.target else []
        done = subprocess.run([sys.executable, HERE / "run.py", "--build", OPTIONS.build, *target, "--programs", SOURCE.parent, "--show",
                               "--keep", cls.kept.name], stdout=subprocess.PIPE, text=True)
        print(done.stdout)
        cls.status = done.returncode

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def report(self, *options, way="plain"):
        recording = Path(self.kept.name, f"blocks.{way}.gcc", "blocks.grain")
        tool = (OPTIONS.host or OPTIONS.build).resolve() / "bin" / "einkorn"
        return subprocess.run([tool, "report", *options, "--symbols", OPTIONS.build / "numa", recording], check=True, stdout=subprocess.PIPE, text=True).stdout

    def test_where_blocks_were(self):
        self.assertEqual(self.status, 0)
        report = json.loads(self.report("--json"))
        self.assertEqual(report["locality"]["nodes"], 4)
        found = {a["line"]: a for a in report["allocations"] if a.get("file", "").endswith("blocks.c")}
        for mark, blocks in (("one", 1), ("each", 1), ("again", 3)):
            a = found[line_of(mark)]
            self.assertEqual((a["blocks"], a["bytes"], a["largest_bytes"]), (blocks, blocks * BYTES, BYTES), mark)
            on = a["sampled_bytes_on_node"]
            self.assertGreater(sum(on), 0.9 * blocks * BYTES, mark)
            if mark == "each":
                self.assertEqual(len(on), 4)
                for bytes in on:
                    self.assertAlmostEqual(bytes, BYTES / 4, delta=BYTES / 16)
            else:
                self.assertGreater(max(on), 0.95 * sum(on), mark)

    def test_where_variables_were(self):
        found = {a["function"]: a for a in json.loads(self.report("--json"))["allocations"] if a["construct"] == "variable"}
        self.assertEqual(set(found), {"table"})  # nobody writes to the other one
        for a in found.values():
            self.assertEqual((a["blocks"], a["bytes"], a["largest_bytes"]), (1, BYTES, BYTES))
            self.assertNotIn("line", a)
        on = found["table"]["sampled_bytes_on_node"]
        self.assertGreater(max(on), 0.95 * sum(on))
        self.assertGreater(sum(on), 0.9 * BYTES)

    def test_the_report_says_what_to_do(self):
        self.assertIn("Grains ran on 4 nodes, and the blocks of 2 lines and 1 variable lie on one.", self.report())
        self.assertIn("Grains ran on 4 memory nodes: einkorn record --allocations tells", self.report(way="unasked"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--target")
    parser.add_argument("--sysroot", type=Path)
    parser.add_argument("--host", type=Path)
    OPTIONS = parser.parse_args()
    unittest.main(argv=[sys.argv[0]], verbosity=2)

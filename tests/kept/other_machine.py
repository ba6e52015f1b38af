#!/usr/bin/env python3
"""A recording that was made on another architecture (tests/cross/recording.py --keep), read here: the report names functions and lines of
a program that this machine cannot run."""
import lzma
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cross"))
import expected  # noqa: E402

TOOL = Path(os.environ["EINKORN_BUILD"]) / "bin" / "einkorn"


class OtherMachine(unittest.TestCase):
    def test_arm(self):
        with tempfile.TemporaryDirectory() as folder:
            for what in ("program", "program.grain"):
                Path(folder, what).write_bytes(lzma.decompress((HERE / f"other-aarch64-{what}.xz").read_bytes()))
            said = expected.report(TOOL, Path(folder, "program.grain"), symbols=folder)
            expected.check(self, said)


unittest.main()

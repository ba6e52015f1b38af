#!/usr/bin/env python3
"""A recording says the same wherever it is opened. Recorded here and recorded there (under the emulator, as program.c is by recording.py),
and those of tests/kept: the tool of this machine and that of the other architecture, under its emulator, print the same bytes.

  tests/cross/both_ways.py --build build-aarch64 --target aarch64 --sysroot build/sysroot-aarch64 --host build"""
import argparse
import lzma
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import expected

KEPT = Path(__file__).resolve().parent.parent / "kept"
# Words for the tool, with the recording's name in them, and files that it writes.
WAYS = {
    "text": (["report", "{}"], []),
    "json": (["report", "--json", "{}"], []),
    "page": (["report", "{}", "--no-source", "--html", "page.html"], ["page.html"]),
    "tables": (["export", "{}", "--to", "csv", "-o", "tables"], ["tables"]),
    "simulated": (["simulate", "{}", "--json", "--machine", "numa:2 core:4", "--schedule", "ws", "domains", "codelets"], []),
}
LIVE = ["text", "json", "page", "tables"]  # there is nothing to predict from times of a busy machine


def files_below(path):
    return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()} if path.is_dir() else path.read_bytes()


def first_difference(ours, theirs):
    """A few words of it: a page is long."""
    at = len(os.path.commonprefix([ours, theirs]))
    return f"{ours[max(at - 60, 0):at + 60]!r} here, {theirs[max(at - 60, 0):at + 60]!r} there"


class BothWays(unittest.TestCase):
    def setUp(self):
        self.tools = {"here": [str(OPTIONS.host.resolve() / "bin" / "einkorn")],
                      "there": [f"qemu-{OPTIONS.target}-static", "-L", str(OPTIONS.sysroot.resolve()), str(OPTIONS.build.resolve() / "bin" / "einkorn")]}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def said(self, where, recording, way):
        """Status, words, and what was written, in a folder of its own with the same relative names."""
        words, files = WAYS[way]
        work = self.folder / where
        work.mkdir(exist_ok=True)
        done = subprocess.run([*self.tools[where], *(word.format(recording) for word in words)], cwd=work, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr, [files_below(work / file) for file in files]

    def same(self, recording, ways=WAYS):
        for way in ways:
            with self.subTest(recording=recording.name, way=way):
                here, there = (self.said(where, recording, way) for where in self.tools)
                self.assertEqual(here[0], 0, here[2])
                for what, ours, theirs in zip(("status", "printed", "told", "written"), here, there, strict=True):
                    self.assertTrue(ours == theirs, f"{what}: {first_difference(str(ours), str(theirs))}")

    def compiled(self, *compiler):
        program = self.folder / "program"
        subprocess.run([*compiler, "-O2", "-g1", "-fopenmp", "-Wl,--build-id", str(expected.SOURCE), "-o", str(program)], check=True)
        return program

    def test_recorded_here(self):
        recording = self.folder / "here.grain"
        subprocess.run([*self.tools["here"], "record", "-o", recording, "--", self.compiled("gcc-12")], check=True, stdout=subprocess.DEVNULL)
        expected.check(self, expected.report(self.tools["there"], recording))
        self.same(recording, LIVE)

    def test_recorded_there(self):
        build, recording = OPTIONS.build.resolve(), self.folder / "there.grain"
        program = self.compiled(f"{OPTIONS.target}-linux-gnu-gcc-12", f"--sysroot={OPTIONS.sysroot.resolve()}")
        # By the tool of there, which starts the program.
        inside = [sys.executable, Path(__file__).with_name("emulated.py"), "--target", OPTIONS.target, "--sysroot", OPTIONS.sysroot, "--"]
        subprocess.run([*inside, build / "bin" / "einkorn", "record", "-o", recording, "--", program], check=True, stdout=subprocess.DEVNULL)
        expected.check(self, expected.report(self.tools["here"], recording))
        self.same(recording, LIVE)

    def test_kept(self):
        """All figures of every recording; the rest of those that the command line's tests use."""
        for packed in sorted(KEPT.glob("*.grain.xz")):
            recording = self.folder / packed.stem
            recording.write_bytes(lzma.decompress(packed.read_bytes()))
            self.same(recording, WAYS if packed.name.startswith("cli-") else ["json"])


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for option in ("build", "sysroot", "host"):
    parser.add_argument(f"--{option}", type=Path, required=True)
parser.add_argument("--target", required=True)
OPTIONS, rest = parser.parse_known_args()
os.environ.setdefault("LC_ALL", "C")
unittest.main(argv=[sys.argv[0], *rest])

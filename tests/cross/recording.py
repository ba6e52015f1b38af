#!/usr/bin/env python3
"""Records a program of another architecture under its emulator, as `einkorn record` sets the variables, and has the tool of this machine
read it: symbols and lines, too, of a file that is not for this machine. With --keep FOLDER recording and program are left there:
they are what tests/kept/other_machine.py has.

  tests/cross/recording.py --build build-aarch64 --target aarch64 --sysroot build/sysroot-aarch64 --host build"""
import argparse
import lzma
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import expected


class Recorded(unittest.TestCase):
    def test_read_here(self):
        build, sysroot, tool = OPTIONS.build.resolve(), OPTIONS.sysroot.resolve(), OPTIONS.host.resolve() / "bin" / "einkorn"
        self.assertTrue(tool.exists(), f"{tool} is not there: ./dev build, or --host")
        with tempfile.TemporaryDirectory() as folder:
            program, recording = Path(folder, "program"), Path(folder, "program.grain")
            subprocess.run([f"{OPTIONS.target}-linux-gnu-gcc-12", f"--sysroot={sysroot}", "-O2", "-g1", "-fopenmp", "-Wl,--build-id",
                            f"-ffile-prefix-map={expected.SOURCE.parent}=.", str(expected.SOURCE), "-o", str(program)], check=True)
            environment = {**os.environ, "LD_AUDIT": str(build / "lib" / "libeinkorn-audit.so"), "EINKORN_RECORD": str(recording),
                           "EINKORN_RUNTIME": str(build / "lib" / "libgomp-einkorn.so")}
            subprocess.run([f"qemu-{OPTIONS.target}-static", "-L", str(sysroot), str(program)], check=True, env=environment)
            expected.check(self, expected.report(tool, recording))
            if OPTIONS.keep:
                for file in (program, recording):
                    Path(OPTIONS.keep, f"other-{OPTIONS.target}-{file.name}.xz").write_bytes(lzma.compress(file.read_bytes(), preset=9))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for option in ("build", "sysroot", "host", "keep"):
    parser.add_argument(f"--{option}", type=Path, required=option != "keep")
parser.add_argument("--target", required=True)
OPTIONS, rest = parser.parse_known_args()
unittest.main(argv=[sys.argv[0], *rest])

"""Tasks that another thread of the team could take do not run at once: at_once.py [BUILD]

counted/at_once.c says which. By two threads on CPUs of their own; on a busy machine fewer run at once, never more. How many of those that
should do so is judged where the clock counts instructions (cost.counted)."""
import pathlib
import subprocess
import sys

import probes
from probes import HERE

MOST = {"long": 5, "mixed": 10, "tree": 2}  # percent


def main():
    files = probes.Probes(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build").resolve())
    programs = files.for_each_compiler(lambda compiler: files.build(HERE / "counted" / "at_once.c", compiler))
    complaints = []
    for compiler, program in programs.items():
        for kind, most in MOST.items():
            done = subprocess.run([program, kind, "0", str(most)], env=files.environment(), capture_output=True, text=True, timeout=100)
            print(f"{compiler} {kind}: {done.stdout.strip()}")
            if done.returncode != 0:
                complaints.append(f"{compiler} {kind}: not below {most} %, or status {done.returncode}: {done.stderr}")
    return complaints


probes.run(main)

#!/usr/bin/env python3
"""What placing tasks and data is worth in bytes, and that thieves leave one producer alone; on a machine of 4 nodes of 8 cores.

health and heat, recorded: dealt out blindly over data that one task has touched first, three bytes of four of what a task touches
are on another node; with tasks and data placed (domains-strict) fewer than one of twenty. Bytes of footprints, as `einkorn report`
counts them: a count, no time. Dealt out, and not stolen (reach=strict): which thread takes a task that any may take is a matter of who
has a CPU, so that under plain rr-fifo a busy machine has another share.

One producer and thirty-one thieves (alignment --version single): with shepherds thieves have been seen to spend more time on
stealing than on working (Olivier 2012, tables 6.4 to 6.7; 30 s instead of 4). So thieves must seldom come in vain, and take several at once.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MACHINE = "numa:4 core:8"
RUNS = {"health": "--size 5 --steps 40", "heat": "--size 512 --steps 30"}


def shares(build, folder):
    """Yields what is wrong."""
    for program, arguments in RUNS.items():
        for compiler in ("gcc", "clang"):
            for schedule, placement, low, high in (("rr-fifo,reach=strict", "plain", 0.5, 0.85), ("domains-strict", "domains", 0.0, 0.1)):
                recording = folder / f"{program}.grain"
                command = [build / "bin/einkorn", "record", "--no-report", "-o", recording, "--schedule", schedule, "--machine", MACHINE,
                           "--", build / "programs" / f"{program}-{compiler}", *arguments.split(), "--placement", placement]
                done = subprocess.run(command, capture_output=True, text=True, timeout=200)
                name = f"{program}-{compiler}, {placement} data under {schedule}"
                if done.returncode != 0 or "check=ok" not in done.stdout:
                    yield f"{name}: exit status {done.returncode}: {done.stdout}{done.stderr}"
                    continue
                report = json.loads(subprocess.run([build / "bin/einkorn", "report", "--json", recording], capture_output=True,
                                                   text=True, check=True, timeout=100).stdout)
                there = report["locality"]
                f = there["footprint"]
                coverage, remote = f["known_bytes"] / f["bytes"], f["remote_bytes"] / f["known_bytes"]
                print(f"{name}: {remote:.1%} of {f['known_bytes'] / 1e6:.0f} MB remote, coverage {coverage:.1%}")
                if there["nodes"] != 4:
                    yield f"{name}: tasks ran on {there['nodes']} nodes instead of 4"
                if coverage < 0.8:
                    yield f"{name}: only {coverage:.1%} of the bytes are on nodes that are known"
                if not low <= remote <= high:
                    yield f"{name}: {remote:.1%} of the bytes are remote, instead of {low:.0%} to {high:.0%}"


def producer(build):
    for schedule in ("ws", "mts", "domains", "deal", "balance"):
        visits = failed = stolen = ran = 0
        for _ in range(4):
            environment = {**os.environ, "EINKORN_SCHEDULE": schedule, "EINKORN_MACHINE": MACHINE, "EINKORN_STATS": "-",
                           "LD_LIBRARY_PATH": str(build / "lib"), "OMP_NUM_THREADS": "32"}
            done = subprocess.run([build / "programs/alignment-gcc", *"--size 60 --length 60 --version single".split()],
                                  env=environment, capture_output=True, text=True, check=True, timeout=100)
            team = json.loads(next(line for line in done.stderr.splitlines() if line.startswith("{")))["teams"][0]
            visits, failed = visits + team["steals"], failed + team["failed"]
            stolen, ran = stolen + team["stolen"], ran + team["ran"]
        print(f"one producer under {schedule}: {ran} tasks, {stolen} taken in {visits} visits, {failed} in vain")
        if failed > ran / 10:
            yield f"{schedule}: thieves came {failed} times in vain for {ran} tasks"
        if schedule in ("ws", "mts", "domains") and visits > 20 and stolen < 3 * visits:
            yield f"{schedule}: thieves took {stolen} tasks in {visits} visits, fewer than three at once"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        wrong = [*shares(build, pathlib.Path(folder)), *producer(build)]
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

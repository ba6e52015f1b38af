#!/usr/bin/env python3
"""What docs/schedules.md and the works say of single schedules, by programs of their own (programs/*.c here), from end to end.

  rescue   rr-lifo and rr-fifo: who waits for a task that nobody else can run has it within 50 ms, however threads wait
  blocked  who waits for a task fetches it, too, where those who may run it wait for the first: in a lock, for their turn, ...
  guard    deal: a thief leaves queues of other nodes alone that are no longer than the guard says, before it sleeps, too
  homes    vicinity: the policy of the data, the intensity index, and the first-level cache decide where a task goes
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


class Runs:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def compile(self, name):
        subprocess.run(["gcc", "-O1", "-fopenmp", "-std=gnu11", "-Wall", "-Werror", f"-I{HERE.parent.parent / 'include'}",
                        HERE / "programs" / f"{name}.c", "-o", self.folder / name], check=True)

    def __call__(self, name, *arguments, **settings):
        """Its output as numbers, the counts of its largest team, and the seconds that it took."""
        stats = self.folder / "stats"
        stats.write_text("")
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_"))}
        environment = {**keep, "LD_LIBRARY_PATH": str(self.build / "lib"), "EINKORN_STATS": str(stats), **settings}
        begin = time.monotonic()
        done = subprocess.run([self.folder / name, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=110)
        seconds = time.monotonic() - begin
        if done.returncode != 0 or done.stderr:
            raise SystemExit(f"{name} {settings}: status {done.returncode}\n{done.stdout}{done.stderr}")
        teams = json.loads(stats.read_text().splitlines()[0])["teams"]
        return [int(word) for word in done.stdout.split()], max(teams, key=lambda t: t["ran"]), seconds


def check_rescue(run):
    run.compile("rescue")
    for schedule in ("rr-lifo", "rr-fifo"):
        _, _, passive = run("rescue", EINKORN_SCHEDULE=schedule, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
        _, team, active = run("rescue", EINKORN_SCHEDULE=schedule, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="active")
        print(f"{schedule}: {team['rescued']} of {team['ran']} tasks rescued; passive {passive:.3f} s, active {active:.3f} s")
        # 50 ms each, and more where others have the CPUs: a quarter of what it is where each takes ten seconds.
        for seconds in (passive, active):
            if seconds > 2.5 * max(1, team["rescued"]):
                yield f"{schedule}: active waits take {active:.2f} s, passive ones {passive:.2f} s"


def check_blocked(run):
    run.compile("blocked")
    kinds = ["ordered", "doacross", "critical", "lock", "nest_lock", "loops", "region"]
    # The program's own locks nobody knows of: there it takes ten seconds to be sure, once.
    for kind, policy in [*((k, "passive") for k in kinds), ("ordered", "active"), ("lock", "active"), ("program", "passive")]:
        _, team, seconds = run("blocked", kind, EINKORN_SCHEDULE="rr-fifo,reach=strict", EINKORN_MACHINE="numa:2 core:1",
                               OMP_NUM_THREADS="2", OMP_WAIT_POLICY=policy)
        print(f"{kind}, {policy}: {team['rescued']} of {team['ran']} tasks rescued, {seconds:.2f} s")
        if team["rescued"] < 4:
            yield f"{kind}: hardly a task had to be fetched: nothing is tried here"
        if seconds > 2.5 * team["rescued"]:  # a quarter of what it is where each takes ten seconds
            yield f"{kind}, {policy}: {seconds:.1f} s for {team['rescued']} tasks that had to be fetched"


def check_guard(run):
    run.compile("guard")
    left = {}
    # Who runs one of them at home waits until so many have left: without a guard, and with the preset's, which keeps four at most.
    for schedule, surely in (("deal,guard=0", 16), ("deal", 16), ("deal,guard=10", 0), ("deal,guard=100000", 0)):
        (left[schedule],), team, _ = run("guard", surely, EINKORN_SCHEDULE=schedule, EINKORN_MACHINE="numa:2 core:2", OMP_NUM_THREADS="4")
        print(f"{schedule}: {left[schedule]} of 64 tasks left their node")
        if left[schedule] != team["foreign"] + 0:
            yield f"{schedule}: {left[schedule]} tasks ran elsewhere, {team['foreign']} were counted"
    # Distance 2 x 2 threads.
    for schedule in ("deal,guard=0", "deal"):
        if left[schedule] < 16:
            yield f"{schedule}: {left[schedule]} tasks left their node: long queues are not helped"
    if left["deal,guard=10"] > 24:
        yield f"guard=10: {left['deal,guard=10']} of 64 tasks left, when 40 at least were to be queued"
    if left["deal,guard=100000"] != 0:
        yield "guard=100000 does not keep tasks on their node"


def check_homes(run):
    run.compile("homes")
    base = {"EINKORN_MACHINE": "tilepro64", "EINKORN_MACHINES": str(HERE.parent.parent / "share" / "machines"),
            "OMP_NUM_THREADS": "64", "EINKORN_SCHEDULE": "vicinity:1"}
    # policy, how, bytes of a block (the L1 data cache has 8 KiB) -> do tasks run at home, or where they are created?
    for policy, how, size, at_home in (("coarse", "plain", 16384, True), ("coarse", "plain", 8192, False),
                                       ("fine", "plain", 16384, False), ("standard", "plain", 16384, False),
                                       ("coarse", "two", 16384, None), ("coarse", "intense", 16384, True),
                                       ("coarse", "intense", 64, True), ("fine", "intense", 16384, False)):
        (home, creator), _, _ = run("homes", how, size, **base, EINKORN_DATA_DISTRIBUTION=policy)
        print(f"{policy}, {how}, {size} bytes: {home} of 48 tasks at home, {creator} at their creator")
        if at_home is True and home != 48:
            yield f"{policy}, {how}, {size} bytes: {home} of 48 tasks at home"
        if at_home is False and creator != 48:
            yield f"{policy}, {how}, {size} bytes: {creator} of 48 tasks in the local queue"
        if at_home is None and home > 8:
            yield f"{policy}, {how}: {home} of 48 tasks where the smaller part of their data is"


CHECKS = {"rescue": check_rescue, "blocked": check_blocked, "guard": check_guard, "homes": check_homes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("what", choices=CHECKS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failures = list(CHECKS[options.what](Runs(options.build.resolve(), pathlib.Path(folder))))
    for text in failures:
        print(f"FAILED: {text}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""The configurations under which the programs run: libraries, schedules, machines, and settings that take turns."""
import dataclasses
import pathlib
import random

SCHEDULES = ["ws", "central", "rr-fifo", "rr-lifo", "deferred", "mts", "domains", "domains-strict", "deal", "vicinity:4", "balance", "ws-adaptive",
             "codelets", "codelets,amm=2x1,tp-push=round-robin", "darts-standard", "darts-steal", "swarm",
             "xkaapi:cyclic-node+writer-node+core-then-node", "xkaapi:local+writer-node-or-local+node-then-core",
             "xkaapi:random-node+local-node+random-node", "xkaapi:cyclic-node+writer-node+node-only+strict",
             "xkaapi:cyclic-node+local+core-only"]
MACHINES = [None, "numa:4 core:4"]
NAMES = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}


@dataclasses.dataclass(frozen=True)
class Configuration:
    library: str  # ours, libgomp, libomp
    environment: tuple

    def __str__(self):
        return " ".join([self.library, *(f"{k}='{v}'" if " " in v else f"{k}={v}" for k, v in self.environment)])


def ours(first, compiler, schedules=None):
    """Each schedule on this computer and on the machine with four nodes; the other settings at random, the same each time."""
    dice, out = random.Random(f"{first} {compiler}"), []
    for schedule in schedules or SCHEDULES:
        for machine in MACHINES:
            settings = {"EINKORN_SCHEDULE": schedule}
            if machine:
                settings["EINKORN_MACHINE"] = machine
            if machine and dice.random() < 0.7:
                settings["OMP_PROC_BIND"] = "spread"  # else seven threads are on two of the nodes
            if dice.random() < 0.6:
                settings["OMP_CANCELLATION"] = "true"
            policy = dice.choice([None, None, None, "passive", "passive", "active"])
            if policy:
                settings["OMP_WAIT_POLICY"] = policy
            if dice.random() < 0.4:
                settings["OMP_MAX_TASK_PRIORITY"] = "10"
            if dice.random() < 0.3:
                settings["EINKORN_LOOP"] = dice.choice(["random", "nearest", "most-loaded"])
            if dice.random() < 0.1:
                settings["OMP_PLACES"] = dice.choice(["cores", "threads"])
            # A program with both forms: the other one, too, now and then.
            if compiler.endswith(("-codelets", "-complexes")) and dice.random() < 0.2:
                settings["EINKORN_CODELETS"] = "off"
            out.append(Configuration("ours", tuple(settings.items())))
    return out


def peer(compiler):
    library = "libgomp" if compiler.startswith("gcc") else "libomp"
    return [Configuration(library, (("OMP_WAIT_POLICY", "passive"), ("OMP_CANCELLATION", cancel)))
            for cancel in ("false", "true")]


def everything(first, compiler, schedules=None, with_peers=True):
    return [*(peer(compiler) if with_peers else []), *ours(first, compiler, schedules)]


def some(first, compiler, schedules=None, with_peers=True):
    """For a short run: the peers once, ours under four of the schedules."""
    mine = ours(first, compiler, schedules)
    dice = random.Random(f"{first} {compiler} some")
    return [*(peer(compiler)[1:] if with_peers else []), *dice.sample(mine, min(4, len(mine)))]


def folder_of(library, libraries: pathlib.Path | None, build: pathlib.Path | None):
    """Where LD_LIBRARY_PATH has to point, or None: the system's own."""
    if libraries:
        return libraries / library
    return build / "lib" if library == "ours" else pathlib.Path("/usr/lib/llvm-19/lib") if library == "libomp" else None

"""Runs programs under libgomp, libomp and Einkorn, in turn, the peers with the setting that suits them best."""
import os
import pathlib
import re
import statistics
import subprocess
import time

WAITS = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}]
PEERS = {
    "libgomp": ("gcc", WAITS),
    "libomp": ("clang", WAITS + [dict(wait, KMP_USE_YIELD="2") for wait in WAITS]),
}
OURS = {"Einkorn, gcc": "gcc", "Einkorn, clang": "clang"}
ALL = {**{peer: compiler for peer, (compiler, _) in PEERS.items()}, **OURS}
IN_TURN = ["libgomp", "Einkorn, gcc", "libomp", "Einkorn, clang"]
LIBRARIES = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}
LIMIT = 60  # seconds a run


class Failure(Exception):
    """Something the user has to put right; its text says what."""


class TooLong(Failure):
    """A run took longer than LIMIT."""


class Runner:
    def __init__(self, build, cpus):
        self.programs, self.library, self.cpus = build / "bench", build / "lib", cpus
        self.field_programs = build / "programs"
        # No OpenMP setting of the caller's may reach one side only: none reaches any.
        self.base = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|EINKORN|LD)_", k)}

    def environment(self, ours, threads, setting):
        environment = dict(self.base, OMP_NUM_THREADS=str(threads), **setting)
        if ours:
            environment["LD_LIBRARY_PATH"] = str(self.library)
        return environment

    def check_library(self, compiler, ours):
        """The runtime under test really is the one that the dynamic linker takes."""
        name = LIBRARIES[compiler]
        program = self.programs / f"fib-{compiler}"
        listing = self.execute([program], dict(self.environment(ours, 1, {}), LD_TRACE_LOADED_OBJECTS="1"))
        found = re.search(rf"{re.escape(name)} => (\S+)", listing)
        if not found:
            raise Failure(f"{program} does not load {name}; the dynamic linker says:\n{listing}")
        path = pathlib.Path(found.group(1)).resolve()
        if ours != path.is_relative_to(self.library.resolve()):
            raise Failure(f"{program} takes {name} from {path}, which is {'not ' if ours else ''}Einkorn's")
        return path

    def execute(self, command, environment):
        try:
            done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True,
                                  timeout=LIMIT)
        except FileNotFoundError:
            raise Failure(f"{command[0]} is not there: ./dev bench builds it") from None
        except subprocess.TimeoutExpired:
            raise TooLong(f"{' '.join(map(str, command))} did not end within {LIMIT} s") from None
        if done.returncode != 0:
            raise Failure(f"{command[0]} ended with status {done.returncode}: {(done.stdout + done.stderr).strip()}")
        return done.stdout

    def nanoseconds(self, command, environment):
        """Median that a program of bench/ prints."""
        return float(self.execute(command, environment).split()[1])

    def operation(self, command, compiler, ours, threads, setting):
        """ns an operation of `fib`, `depend chain 2000`..., programs of bench/."""
        name, *arguments = command.split()
        return self.nanoseconds([self.programs / f"{name}-{compiler}", *arguments],
                                self.environment(ours, threads, setting))

    def program(self, command, compiler, ours, threads, setting):
        """Seconds of the parallel part of a program of programs/, which has checked its result."""
        name, *arguments = command.split()
        printed = self.execute([self.field_programs / f"{name}-{compiler}", *arguments],
                               self.environment(ours, threads, setting))
        return float(re.search(r" seconds=(\S+) ", printed).group(1))

    def process(self, command, environment):
        """Seconds of a whole process."""
        start = time.monotonic()
        self.execute(command, environment)
        return time.monotonic() - start

    def best_settings(self, run, command, threads, tries):
        """{peer: the setting that it is fastest with}"""
        def time_of(compiler, setting):
            try:
                return statistics.median(run(command, compiler, False, threads, setting) for _ in range(tries))
            except TooLong:
                return float("inf")
        return {peer: min(settings, key=lambda setting: time_of(compiler, setting))
                for peer, (compiler, settings) in PEERS.items()}

    def in_turn(self, run, command, threads, settings, rounds, ours={}, also=None):
        """({who: [time of each round]}, [what `also` gave each round]). A peer that takes too long took for ever."""
        times, beside = {who: [] for who in ALL}, []
        for _ in range(rounds):
            for who in IN_TURN:
                setting = settings[who] if who in PEERS else ours
                try:
                    times[who].append(run(command, ALL[who], who in OURS, threads, setting))
                except TooLong:
                    if who in OURS:
                        raise
                    times[who].append(float("inf"))
            if also:
                beside.append(also())
        return times, beside

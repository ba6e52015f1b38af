"""Runs programs under libgomp, libomp and Einkorn, in turn, the peers with their fastest setting."""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import pairs

WAITS = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}]
PEERS = {
    "libgomp": ("gcc", WAITS),
    "libomp": ("clang", WAITS + [dict(wait, KMP_USE_YIELD="2") for wait in WAITS]),
}
OURS = {"Einkorn, gcc": "gcc", "Einkorn, clang": "clang"}
ALL = {**{peer: compiler for peer, (compiler, _) in PEERS.items()}, **OURS}
IN_TURN = ["libgomp", "Einkorn, gcc", "libomp", "Einkorn, clang"]
LIBRARIES = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}
LIMIT = 60  # seconds per run


class Failure(Exception):
    """An error that the user must correct; its text says how."""


def exit_with(main):
    """Ends the script with main()'s status, or with why it failed."""
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"bench: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)


class TooLong(Failure):
    """A run took longer than LIMIT."""


def seconds_in(printed):
    """Of the parallel part, as a program of programs/ prints them."""
    return float(re.search(r" seconds=(\S+) ", printed).group(1))


def go_first():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def may_go_first():
    """At real-time priority nothing else of this machine gets between two threads that wait for each other: twenty runs
    of a loop program then differ by 5 %, not by two thirds."""
    try:
        subprocess.run(["true"], preexec_fn=go_first, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


class Runner:
    def __init__(self, build, cpus, limit=LIMIT):
        self.goes_first, self.limit = may_go_first(), limit
        self.programs, self.library, self.cpus = build / "bench", build / "lib", cpus
        self.field_programs = build / "programs"
        # A caller's OpenMP setting must not reach only one side: so none reaches any.
        self.base = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|EINKORN|LD)_", k)}
        # Freed memory stays with the program. Otherwise glibc's malloc returns it and gets it again, page fault by page
        # fault, depending on where the end of the heap happens to be: strassen has 4,263 or 6,050 faults, depending on
        # what a runtime has allocated before.
        self.base |= {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
        # OpenBLAS starts threads when it is loaded, and these spin for a tenth of a second before they sleep.
        self.base |= {"OPENBLAS_NUM_THREADS": "1"}

    def environment(self, ours, threads, setting):
        environment = dict(self.base, OMP_NUM_THREADS=str(threads), **setting)
        if ours:
            environment["LD_LIBRARY_PATH"] = str(self.library)
        return environment

    def check_library(self, compiler, ours):
        """Checks that the dynamic linker really takes the runtime under test."""
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

    def check_libraries(self):
        """check_library() of all; the peers' libraries."""
        for compiler in OURS.values():
            self.check_library(compiler, True)
        return [self.check_library(compiler, False) for compiler, _ in PEERS.values()]

    def execute(self, command, environment, alone=False, limit=None):
        """Runs it and returns its output. alone: with priority over all else on this machine, if permitted. limit: seconds."""
        limit = limit or self.limit
        try:
            done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True,
                                  timeout=limit, preexec_fn=go_first if alone and self.goes_first else None)
        except FileNotFoundError:
            raise Failure(f"{command[0]} is not there: ./dev bench builds it") from None
        except subprocess.TimeoutExpired:
            raise TooLong(f"{' '.join(map(str, command))} did not end within {limit} s") from None
        if done.returncode != 0:
            raise Failure(f"{command[0]} ended with status {done.returncode}: {(done.stdout + done.stderr).strip()}")
        return done.stdout

    def nanoseconds(self, command, environment, alone=False):
        """Median that a program of bench/ prints."""
        return float(self.execute(command, environment, alone).split()[1])

    def operation(self, command, compiler, ours, threads, setting, crowded=False):
        """ns per operation of `fib`, `depend chain 2000`..., programs of bench/. crowded: they have more threads than CPUs
        in any case. Such programs run at normal priority."""
        name, *arguments = command.split()
        return self.nanoseconds([self.programs / f"{name}-{compiler}", *arguments],
                                self.environment(ours, threads, setting), not crowded and threads <= self.cpus)

    def program(self, command, compiler, ours, threads, setting, alone=True):
        """Seconds of the parallel part of a program of programs/, which has checked its result. alone: see execute()."""
        name, *arguments = command.split()
        printed = self.execute([self.field_programs / f"{name}-{compiler}", *arguments],
                               self.environment(ours, threads, setting), alone and threads <= self.cpus)
        return seconds_in(printed)

    def beside(self, kind, compiler, ours, threads, setting):
        """Seconds of a kind of bench/beside.c, at normal priority."""
        return seconds_in(self.execute([self.programs / f"beside-{compiler}", kind], self.environment(ours, threads, setting)))

    def process(self, command, environment):
        """Seconds of a whole process."""
        start = time.monotonic()
        self.execute(command, environment)
        return time.monotonic() - start

    def best_settings(self, run, command, threads, tries, peers=PEERS):
        """{peer: the setting that it is fastest with}"""
        def time_of(compiler, setting):
            try:
                return statistics.median(run(command, compiler, False, threads, setting) for _ in range(tries))
            except TooLong:
                return float("inf")
        return {peer: min(settings, key=lambda setting: time_of(compiler, setting))
                for peer, (compiler, settings) in peers.items()}

    def in_turn(self, run, command, threads, settings, rounds, most, ours={}, also=None):
        """({who: [time of each round]}, [result of `also` in each round]): so many rounds, and more, up to `most`, until it is
        known who is faster. A peer that exceeds the limit counts as infinitely slow."""
        times, beside = {who: [] for who in ALL}, []
        for done in range(most):
            if done >= rounds and pairs.decided(times, OURS, PEERS):
                break
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

    def again(self, times, rounds, run, command, threads, settings, ours={}):
        """Adds so many rounds to `times`, of in_turn()."""
        more, _ = self.in_turn(run, command, threads, settings, rounds, rounds, ours)
        for who, each in more.items():
            times[who] += each

#!/usr/bin/env python3
"""Measures Einkorn's runtime beside libgomp and libomp, in one run, and prints the table of docs/performance.md.

Each measurement is one program of bench/, built by gcc and by clang. The peers are first tried with every setting of
how their threads wait, and go on with their best one; Einkorn runs as it is. Then all four run in turn, A B A B, round
after round, so that whatever else the machine does meets all alike. A run gives the median of its repetitions; the
table has the median over the runs with the smallest and largest, and Einkorn's time by the better peer's of the same
round.
"""
import argparse
import datetime
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"

# name: (program, what it measures, threads by CPU, yardstick)
MEASUREMENTS = {
    "fib": ("fib", "fib(27), two tasks a call, no cut-off, per task", 1, None),
    "fib-oversubscribed": ("fib", "the same, twice as many threads as CPUs", 2, None),
    "taskwait": ("taskwait", "task and taskwait, per task", 1, None),
    "flat": ("flat", "empty tasks from one producer, per task", 1, None),
    "chain": ("depend chain 2000", "depend chain: inout on one address, 2,000 tasks, per task", 1, None),
    "independent": ("depend independent 2000", "depend on an address of its own, 2,000 tasks, per task", 1, None),
    "wavefront": ("depend wavefront 4096", "2-D wavefront of depends, 64 x 64, per task", 1, None),
    "taskloop": ("taskloop", "`taskloop grainsize(1)`, per iteration", 1, None),
    "region": ("region", "empty parallel region", 1, "round-trip"),
    "barrier": ("barrier", "barrier", 1, "one-way"),
    "dynamic": ("dynamic", "`for schedule(dynamic,1)`, per chunk", 1, None),
}
COUNTS = {
    "chain-growth": "depend chain: a task's cost with 200,000 tasks by that with 2,000",
    "independent-growth": "independent depends: the same",
    "syscalls": "system calls by task, in fib (strace)",
    "recording": "recording: CPU ns by task, in fib, the writer's included",
}
FIB_TASKS = 2 * 635_620  # of bench/fib.c with BENCH_ONCE
YARDSTICKS = {"round-trip": "round trip", "one-way": "one way", "exchange": "exchange"}

WAITS = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}]
PEERS = {
    "libgomp": ("gcc", WAITS),
    "libomp": ("clang", WAITS + [dict(wait, KMP_USE_YIELD="2") for wait in WAITS]),
}
OURS = {"Einkorn, gcc": "gcc", "Einkorn, clang": "clang"}
LIBRARIES = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}


class Failure(Exception):
    """Something the user has to put right; its text says what."""


class Bench:
    def __init__(self, build, cpus):
        self.programs, self.library, self.cpus = build / "bench", build / "lib", cpus
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
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        except FileNotFoundError:
            raise Failure(f"{command[0]} is not there: ./dev bench builds it") from None
        except subprocess.TimeoutExpired:
            raise Failure(f"{command[0]} did not end within 120 s") from None
        if done.returncode != 0:
            raise Failure(f"{command[0]} ended with status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def measure(self, command, environment):
        """Median of one run, in ns."""
        return float(self.execute(command, environment).split()[1])

    def run(self, program, compiler, ours, threads, setting):
        name, *arguments = program.split()
        return self.measure([self.programs / f"{name}-{compiler}", *arguments],
                            self.environment(ours, threads, setting))

    def best_setting(self, program, peer, threads, tries):
        compiler, settings = PEERS[peer]
        return min(settings, key=lambda setting: statistics.median(
            self.run(program, compiler, False, threads, setting) for _ in range(tries)))

    def compare(self, name, rounds, tries):
        program, _, by_cpu, yardstick = MEASUREMENTS[name]
        threads = by_cpu * self.cpus
        settings = {peer: self.best_setting(program, peer, threads, tries) for peer in PEERS}
        times = {who: [] for who in [*PEERS, *OURS]}
        line = []
        for _ in range(rounds):
            for peer, ours in zip(PEERS, OURS):
                times[peer].append(self.run(program, PEERS[peer][0], False, threads, settings[peer]))
                times[ours].append(self.run(program, OURS[ours], True, threads, {}))
            if yardstick:
                line.append(self.measure([self.programs / "cacheline", yardstick], self.base))
        return {"times": times, "settings": settings, "threads": threads, "yardstick": line}

    def growth(self, shape, rounds):
        """A task's cost among 200,000 by that among 2,000, in pairs: {who: [...]}. Ours only: libgomp takes minutes."""
        return {who: [self.run(f"depend {shape} 200000", compiler, True, self.cpus, {}) /
                      self.run(f"depend {shape} 2000", compiler, True, self.cpus, {}) for _ in range(rounds)]
                for who, compiler in OURS.items()}

    def system_calls(self, rounds):
        """By task, while all threads have work: {who: [...]}. With nobody's waiting set: all as a user finds them."""
        found = {}
        for who, compiler in [*((peer, PEERS[peer][0]) for peer in PEERS), *OURS.items()]:
            environment = dict(self.environment(who in OURS, self.cpus, {}), BENCH_ONCE="1")
            found[who] = []
            for _ in range(rounds):
                with tempfile.NamedTemporaryFile("r") as listing:
                    self.execute(["strace", "-f", "-c", "-U", "calls,name", "-o", listing.name,
                                  self.programs / f"fib-{compiler}"], environment)
                    calls = re.findall(r"^ *(\d+) (?!total)", listing.read(), re.M)
                    found[who].append(sum(map(int, calls)) / FIB_TASKS)
        return found

    def recording(self, rounds):
        """What recording adds to the CPU time, the writer's thread included, in ns by task, in pairs: {who: [...]}."""
        found = {who: [] for who in OURS}
        for _ in range(rounds):
            for who, compiler in OURS.items():
                environment = dict(self.environment(True, self.cpus, {}), BENCH_ONCE="1")
                spent = []
                with tempfile.TemporaryDirectory(dir=self.programs) as folder:
                    file = pathlib.Path(folder) / "fib.grain"
                    for extra in ({}, {"EINKORN_RECORD": str(file)}):
                        before = own_seconds()
                        self.execute([self.programs / f"fib-{compiler}"], dict(environment, **extra))
                        spent.append(own_seconds() - before)
                    if not file.exists() or file.stat().st_size < FIB_TASKS:
                        raise Failure(f"recording {self.programs}/fib-{compiler} left no recording to speak of")
                found[who].append((spent[1] - spent[0]) * 1e9 / FIB_TASKS)
        return found


def figure(values):
    """A median, with smallest and largest behind it."""
    def number(x):
        return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 1 or x <= 0 else f"{x:.2g}"
    return f"{number(statistics.median(values))} ({number(min(values))}-{number(max(values))})"


def ratio(ours, *others):
    return statistics.median(a / min(b) for a, b in zip(ours, zip(*others)))


def text_of(setting):
    return " ".join(f"{k}={v}" for k, v in setting.items()) or "unset"


def table(results):
    head = ["ns, wall", "threads", *PEERS, *OURS, "gcc : better peer", "clang : better peer", "yardstick"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, result in results.items():
        times = result["times"]
        peers = [times[peer] for peer in PEERS]
        cells = [MEASUREMENTS[name][1], str(result["threads"]), *(figure(times[who]) for who in times)]
        cells += [f"{ratio(times[who], *peers):.2f}" for who in OURS]
        yardstick = result["yardstick"]
        if yardstick:
            by = " / ".join(f"{ratio(times[who], yardstick):.2f}" for who in OURS)
            cells.append(f"{YARDSTICKS[MEASUREMENTS[name][3]]} {figure(yardstick)}; gcc / clang {by} times that")
        else:
            cells.append("")
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "Peers' best settings: " + "; ".join(
        f"{name}: " + ", ".join(f"{peer} {text_of(setting)}" for peer, setting in result["settings"].items())
        for name, result in results.items()) + "."]
    return lines


def count_table(counts):
    lines = ["| | " + " | ".join([*PEERS, *OURS]) + " |", "|---" * (1 + len(PEERS) + len(OURS)) + "|"]
    for name, found in counts.items():
        cells = [COUNTS[name], *(figure(found[who]) if who in found else "" for who in [*PEERS, *OURS])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def busy_seconds():
    """CPU time that everything on this machine has used, stolen time included."""
    user, nice, system, _, _, irq, softirq, steal = map(int, open("/proc/stat").readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def machine(cpus, libraries):
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M)
    revision = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return (f"{model.group(1) if model else platform.machine()}, {cpus} CPUs, Linux {platform.release()}; "
            f"{' and '.join(str(path) for path in libraries)}; Einkorn {revision.stdout.strip() or 'of no revision'}; "
            f"{datetime.date.today().isoformat()}")


def write(lines):
    text = DOCUMENT.read_text()
    if BEGIN not in text or END not in text:
        raise Failure(f"{DOCUMENT} has lost its lines {BEGIN} and {END}")
    head, rest = text.split(BEGIN, 1)
    DOCUMENT.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two rounds instead of seven: to see that it works")
    parser.add_argument("--only", action="append", choices=[*MEASUREMENTS, *COUNTS], metavar="NAME",
                        help="this row only, may be repeated: " + ", ".join([*MEASUREMENTS, *COUNTS]))
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    options = parser.parse_args()
    if options.write and (options.only or options.quick):
        parser.error("--write is for a whole run: leave out --only and --quick")

    cpus = len(os.sched_getaffinity(0))
    bench = Bench(options.build, cpus)
    peers = [bench.check_library(compiler, False) for compiler, _ in PEERS.values()]
    for compiler in OURS.values():
        bench.check_library(compiler, True)

    start, busy, own = time.monotonic(), busy_seconds(), own_seconds()
    results, counts = {}, {}
    names = [name for name in [*MEASUREMENTS, *COUNTS] if not options.only or name in options.only]
    for done, name in enumerate(names):
        if sys.stderr.isatty():
            print(f"\r[{done}/{len(names)}] {name:<24}", end="", file=sys.stderr, flush=True)
        if name == "syscalls":
            counts[name] = bench.system_calls(1 if options.quick else 3)
        elif name.endswith("-growth"):
            counts[name] = bench.growth(name.removesuffix("-growth"), 2 if options.quick else 7)
        elif name == "recording":
            counts[name] = bench.recording(2 if options.quick else 7)
        else:
            results[name] = bench.compare(name, *((2, 1) if options.quick else (7, 2)))
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    # What others did meanwhile spoils the figures: say how much it was.
    others = max(0.0, (busy_seconds() - busy) - (own_seconds() - own)) / ((time.monotonic() - start) * cpus)
    lines = table(results) if results else []
    lines += ["", *count_table(counts)] if counts else []
    lines += ["", f"Measured on: {machine(cpus, peers)}. Other processes took {others:.1%} of the CPU time meanwhile."]
    print("\n".join(lines))
    if others > 0.05:
        print("bench: the machine was not idle; these figures are worth little", file=sys.stderr)
    if options.write:
        write(lines)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"bench: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)

"""The rows of the second table: counts, and what is not a time per operation."""
import pathlib
import re
import tempfile

import tables
from runner import ALL, IN_TURN, OURS, PEERS, Failure

FIB_TASKS = 2 * 635_620  # of bench/fib.c with BENCH_ONCE
IDLE_THREADS, IDLE_MILLISECONDS = 64, 2000


def instructions(runner, rounds):
    """Per task of fib (tests/cost/instructions.c), including the program's own: {who: [...]}. They do not vary."""
    found = {}
    for who, compiler in ALL.items():
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "callgrind"
            printed = runner.execute(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                                      runner.programs / f"instructions-{compiler}"],
                                     dict(runner.environment(who in OURS, 2, {}), LD_BIND_NOW="1"))
            tasks = int(re.search(r"^task (\d+)$", printed, re.M).group(1))
            totals = [re.search(r"^totals: (\d+)$", text, re.M) for part in out.parent.glob("callgrind.*")
                      if "Client Request: task\n" in (text := part.read_text())]
            if len(totals) != 1:
                raise Failure(f"callgrind left {len(totals)} counts of instructions-{compiler}, not one")
            found[who] = [int(totals[0].group(1)) / tasks]
    return found


def system_calls(runner, rounds):
    """Per task, while all threads have work: {who: [...]}. No waiting policy is set: all as a user finds them."""
    found = {}
    for who, compiler in ALL.items():
        environment = dict(runner.environment(who in OURS, runner.cpus, {}), BENCH_ONCE="1")
        found[who] = []
        for _ in range(min(rounds, 3)):
            with tempfile.NamedTemporaryFile("r") as listing:
                runner.execute(["strace", "-f", "-c", "-U", "calls,name", "-o", listing.name,
                                runner.programs / f"fib-{compiler}"], environment,
                               limit=600)  # strace stops at each of the peers' calls
                calls = re.findall(r"^ *(\d+) (?!total)", listing.read(), re.M)
                found[who].append(sum(map(int, calls)) / FIB_TASKS)
    return found


def idle(runner, rounds):
    """CPU time of a team of 64 threads that waits in a barrier, in % of a core; no waiting policy is set."""
    def share(who):
        printed = runner.execute([runner.programs / f"idle-{ALL[who]}", "barrier", IDLE_MILLISECONDS, 10**9],
                                 runner.environment(who in OURS, IDLE_THREADS, {}))
        return 100 * float(printed.split()[0]) / IDLE_MILLISECONDS
    return {who: [share(who)] for who in ALL}


def start(runner, rounds):
    """Milliseconds of a process that has one empty region: {who: [...]}."""
    found = {who: [] for who in ALL}
    for _ in range(10 * rounds):
        for who in IN_TURN:
            found[who].append(1e3 * runner.process([runner.programs / f"start-{ALL[who]}"],
                                                   runner.environment(who in OURS, runner.cpus, {})))
    return found


def growth(shape):
    def measure(runner, rounds):
        """A task's cost among 200,000 divided by that among 2,000, in pairs. Ours only: libgomp takes minutes."""
        return {who: [runner.operation(f"depend {shape} 200000", compiler, True, runner.cpus, {}) /
                      runner.operation(f"depend {shape} 2000", compiler, True, runner.cpus, {}) for _ in range(rounds)]
                for who, compiler in OURS.items()}
    return measure


def oversubscription(runner, rounds):
    """Time of fib with twice as many threads as CPUs divided by that with as many, in pairs; no waiting policy is set."""
    return {who: [runner.operation("fib", compiler, who in OURS, 2 * runner.cpus, {}, True) /
                  runner.operation("fib", compiler, who in OURS, runner.cpus, {}, True) for _ in range(rounds)]
            for who, compiler in ALL.items()}


def recorded(runner, rounds, program, arguments, grains):
    """CPU seconds of all threads without a recording and with one, in pairs: {who: [(without, with)]}."""
    found = {who: [] for who in OURS}
    for _ in range(rounds):
        for who, compiler in OURS.items():
            environment = dict(runner.environment(True, runner.cpus, {}), BENCH_ONCE="1")
            spent = []
            with tempfile.TemporaryDirectory(dir=runner.programs) as folder:
                file = pathlib.Path(folder) / "bench.grain"
                for extra in ({}, {"EINKORN_RECORD": str(file)}):
                    before = tables.own_seconds()
                    runner.execute([runner.programs / f"{program}-{compiler}", *arguments], dict(environment, **extra))
                    spent.append(tables.own_seconds() - before)
                if not file.exists() or file.stat().st_size < grains:
                    raise Failure(f"recording {runner.programs}/{program}-{compiler} left no recording to speak of")
            found[who].append(spent)
    return found


def recording(runner, rounds):
    """CPU time that recording adds, including the writer's, in ns per task, in pairs: {who: [...]}."""
    return {who: [(after - before) * 1e9 / FIB_TASKS for before, after in pairs]
            for who, pairs in recorded(runner, rounds, "fib", [], FIB_TASKS).items()}


def recording_share(ns, count):
    def measure(runner, rounds):
        """CPU time that recording adds, including the writer's, in %, in pairs: {who: [...]}. Runs of two
        seconds: the time to begin and to end a recording, 2 to 6 ms, does not belong to grains."""
        return {who: [100 * (after - before) / before for before, after in pairs]
                for who, pairs in recorded(runner, 2 * rounds, "grains", [ns, count], count).items()}
    return measure


COUNTS = {  # name: (what, how)
    "instructions": ("instructions by task, in fib (callgrind)", instructions),
    "syscalls": ("system calls by task, in fib (strace)", system_calls),
    "idle": ("64 threads in a barrier, waiting for two seconds: % of a core", idle),
    "oversubscription": ("fib: twice as many threads as CPUs by as many", oversubscription),
    "chain-growth": ("depend chain: a task's cost with 200,000 tasks by that with 2,000", growth("chain")),
    "independent-growth": ("independent depends: the same", growth("independent")),
    "start": ("a process with one empty region: ms", start),
    "recording": ("recording: CPU ns by task, in fib, the writer's included", recording),
    "recording-10us": ("recording: grains of 10 us: % of the CPU time", recording_share(10_000, 200_000)),
    "recording-1us": ("recording: grains of 1 us: % of the CPU time", recording_share(1_000, 2_000_000)),
}


def lines_of(counts, _cpus):
    lines = ["| | " + " | ".join([*PEERS, *OURS]) + " |", "|---" * (1 + len(ALL)) + "|"]
    for name, found in counts.items():
        cells = [COUNTS[name][0], *(tables.figure(found[who]) if who in found else "" for who in [*PEERS, *OURS])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines

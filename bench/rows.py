"""The rows of the first table: one operation of OpenMP each, by a program of this folder."""
import dataclasses
import functools
import statistics

import pairs
import tables
from runner import OURS, PEERS


@dataclasses.dataclass
class Row:
    title: str
    command: str
    threads: float = 1         # by CPU
    exactly: int | None = None  # threads, whatever the machine has
    inner: int = 1             # threads that each of these has
    yardstick: str | None = None
    tbb: str | None = None     # the name of the same in tbb.cpp
    inline: bool = False       # libgomp runs most of these tasks at once
    # Not at real-time priority: it would keep all others from the CPUs while threads wait awake; and whether others need
    # the CPUs decides how long threads stay awake.
    by_turns: bool = False
    ours: dict = dataclasses.field(default_factory=dict)  # Einkorn's own setting


ROWS = {
    "fib": Row("fib(27), two tasks a call, no cut-off, per task", "fib", tbb="fib"),
    "fib-adaptive": Row("the same, Einkorn with EINKORN_SCHEDULE=ws-adaptive", "fib",
                        ours={"EINKORN_SCHEDULE": "ws-adaptive"}),
    "fib-one": Row("fib(27), one task a call", "fib one"),
    "fib-oversubscribed": Row("two tasks a call, twice as many threads as CPUs", "fib", threads=2),
    "taskwait": Row("task and taskwait, per task", "taskwait"),
    "taskgroup": Row("taskgroup with a task, per group", "taskgroup"),
    "undeferred": Row("task if(0), per task", "undeferred"),
    "flat": Row("empty tasks from one producer, per task¹", "flat", tbb="flat", inline=True),
    "taskloop": Row("`taskloop grainsize(1)`, per iteration¹", "taskloop", inline=True),
    "chain": Row("depend chain: inout on one address, 2,000 tasks, per task", "depend chain 2000", tbb="chain"),
    "independent": Row("depend on an address of its own, 2,000 tasks, per task", "depend independent 2000"),
    "wavefront": Row("2-D wavefront of depends, 64 x 64, per task", "depend wavefront 4096"),
    "region": Row("empty parallel region", "region", yardstick="round-trip"),
    "serial": Row("region of 50 us after 1 ms of serial code", "serial", by_turns=True),
    "nested": Row("region of two threads inside one of two, both at once", "nested", exactly=2, inner=2),
    "barrier": Row("barrier", "barrier", yardstick="one-way"),
    "single": Row("single, with its barrier", "single"),
    "reduction": Row("parallel loop of 64 iterations with a sum", "reduction"),
    "static": Row("`for schedule(static) nowait`, 100 empty iterations", "loop static"),
    "guided": Row("`for schedule(guided)`, 100 empty iterations, and its barrier", "loop guided"),
    "dynamic": Row("`for schedule(dynamic,1)`, per chunk", "dynamic", tbb="for"),
    "critical": Row("critical, all threads, per entry", "critical all"),
    "critical-one": Row("critical, undisputed, per entry", "critical one"),
    "critical-long": Row("critical of 30 us after 10 us of other work, per entry", "turns critical"),
    "ordered": Row("`ordered` of 5 us after 5 us of other work, per iteration", "turns ordered"),
    "ordered-oversubscribed": Row("the same, twice as many threads as CPUs", "turns ordered", threads=2),
}
YARDSTICKS = {"round-trip": "round trip", "one-way": "one way", "exchange": "exchange"}


def how(runner, row):
    """Its threads, whether it is crowded, and how it is run."""
    threads = row.exactly or round(row.threads * runner.cpus)
    crowded = threads * row.inner > runner.cpus or row.by_turns
    return threads, crowded, functools.partial(runner.operation, crowded=crowded)


def measure(runner, name, rounds, most, tries):
    row = ROWS[name]
    threads, crowded, run = how(runner, row)

    def beside():
        if row.yardstick:
            return runner.nanoseconds([runner.programs / "cacheline", row.yardstick], runner.base, True)
        return runner.nanoseconds([runner.programs / "tbb", row.tbb], runner.environment(False, threads, {}),
                                  not crowded)
    settings = runner.best_settings(run, row.command, threads, tries)
    times, found = runner.in_turn(run, row.command, threads, settings, rounds, most, row.ours,
                                  beside if row.yardstick or row.tbb else None)
    return {"times": times, "settings": settings, "threads": threads, "beside": found}


def again(runner, name, result, rounds):
    """More rounds where it is not known to be fast enough: [what]"""
    if pairs.is_within(result["times"], OURS, PEERS):
        return []
    threads, _, run = how(runner, ROWS[name])
    runner.again(result["times"], rounds, run, ROWS[name].command, threads, result["settings"], ROWS[name].ours)
    return [name]


def lines_of(results, _cpus):
    head = ["ns, wall", "threads", *PEERS, *OURS, "gcc : better peer", "clang : better peer", "beside it"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, result in results.items():
        row, times, beside = ROWS[name], result["times"], result["beside"]
        cells = [row.title, str(result["threads"]), *(tables.figure(times[who]) for who in [*PEERS, *OURS])]
        cells += [pairs.text(pairs.ratios(times, [who], PEERS)) for who in OURS]
        if row.yardstick:
            by = " / ".join(f"{statistics.median(a / b for a, b in zip(times[who], beside)):.2f}" for who in OURS)
            cells.append(f"{YARDSTICKS[row.yardstick]} {tables.figure(beside)}; gcc / clang {by} times that")
        else:
            cells.append(f"oneTBB {tables.figure(beside)}" if row.tbb else "")
        lines.append("| " + " | ".join(cells) + " |")
    if any(ROWS[name].inline for name in results):
        lines += ["", "¹ libgomp defers 64 tasks by thread and runs the others at once, at the price of a call; Einkorn those that prove tiny."]
    lines += ["", *pairs.verdict({name: result["times"] for name, result in results.items()}, OURS, PEERS)]
    lines += ["", "Peers' best settings: " + tables.settings(results) + "."]
    return lines

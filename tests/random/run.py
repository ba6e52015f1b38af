#!/usr/bin/env python3
"""Random OpenMP programs, each checked against a sequential model, by gcc and clang, under libgomp, libomp and Einkorn:

  run.py --build build                             40 programs, each with one preset of ours in turn (what ./dev test runs)
  run.py --build build --programs 20000 --full     all programs under all presets, on two machines, with 1, 2, 4 and 7 threads
  run.py --build build --programs 500:700 --full   some of them
  run.py show 1234                                 the C of a program
  run.py --build build --only 1234 --repeat 200    a program again and again under each library and preset
  run.py --compile-only --executables DIR ...      only makes the executables; --executables DIR --libraries DIR runs them elsewhere
  run.py --build build --compilers gcc-codelets,clang-codelets   compiled by einkorn cc: regions as codelets, and as OpenMP's
  run.py --build build --compilers gcc-complexes,clang-complexes   the same with --target complexes
  run.py ... --results FILE --minutes 9            for so long; the same command again continues with what FILE does not have yet

A difference, a crash or a hang is tried again with the program alone, and the command that repeats it is printed."""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

import compiling
import configurations
import execute
import peers
from results import Results

HERE = pathlib.Path(__file__).resolve().parent
PROGRESS = 20.0  # s between two lines that say how far it is
GRACE = 15.0  # s for what has begun when the time is up


def span(text):
    first, _, last = text.partition(":")
    return (int(first), int(last)) if last else (0, int(first))


def environment_of(options, configuration):
    folder = configurations.folder_of(configuration.library, options.libraries, options.build)
    environment = dict(configuration.environment)
    if folder:
        environment["LD_LIBRARY_PATH"] = str(folder)
    return environment


def served_by(path, environment, library):
    """Which OpenMP library does the process get? With a wrong path everything would pass on another library."""
    done = subprocess.run([str(path), "--list"], env=execute.clean({**environment, "LD_DEBUG": "files"}), text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    loaded = {line.split()[-1] for line in done.stderr.splitlines() if "calling init:" in line}
    mine = sorted(l for l in loaded if pathlib.Path(l).name.startswith(("libgomp", "libomp", "libeinkorn", "libiomp")))
    ours = [l for l in mine if "einkorn" in pathlib.Path(l).resolve().name or "/ours/" in l]
    if len(mine) != 1 or bool(ours) != (library == "ours"):
        return f"{path.name} under {library} is served by {' '.join(mine) or 'nothing'}: {done.stderr[-300:] if not mine else ''}"
    return None


def alone(options, path, configuration, finding):
    """Does it happen with the program alone, too? With the command that shows it."""
    environment = environment_of(options, configuration)
    words = [f"{k}={v}" for k, v in environment.items()] + [str(path), "--only", str(finding.program), "--threads",
                                                             str(finding.threads), "--repeat", "200"]
    command = " ".join(map(shlex.quote, words))
    found, _ = execute.once(path, environment, words[len(environment) + 1:], options.stacks)
    times = sum(f.kind == "wrong" for f in found)
    again = f"alone: {times} of 200 times wrong" if times else f"alone: {found[0].kind} {found[0].text}" if found else \
        "not seen in 200 times alone"
    return f"{again}\n    {command}"


def job(options, path, known, configuration):
    """One executable under one configuration: (what to print, how many programs ran)."""
    uses = {int(k): v for k, v in known["programs"].items()}
    numbers = []
    for n, used in uses.items():
        makers = peers.makers(known["compiler"], configuration.library, configuration.environment, n in known["with regions left"])
        if not peers.left_out(makers, used):
            numbers.append(n)
    if options.only is not None:
        numbers = [n for n in numbers if n == options.only]
    if not numbers:
        return [], 0
    leave = [n for n in uses if n not in numbers]
    environment = environment_of(options, configuration)
    found = execute.run(path, environment, numbers, leave, options.threads, options.repeat, options.stacks)
    out = []
    for finding in found:
        what = f"program {finding.program}, {finding.threads} threads" if finding.program is not None else "at the end"
        more = f"\n    {alone(options, path, configuration, finding)}" if finding.kind in ("wrong", "hang", "crash") else ""
        out.append((finding, f"{finding.kind}: {path.name}, {what}, under {configuration}: {finding.text}{more}"))
    return out, len(numbers) * len(options.threads) * options.repeat


class Running:
    """What is running now, and since when; each thread's processes stay on CPUs of their own if that was asked for."""

    def __init__(self, cpus):
        self.now, self.cpus, self.number = {}, cpus, itertools.count()

    def begin_thread(self):
        if self.cpus:
            all_of_them, number = sorted(os.sched_getaffinity(0)), next(self.number)
            os.sched_setaffinity(0, {all_of_them[(number * self.cpus + k) % len(all_of_them)] for k in range(self.cpus)})

    def job(self, options, path, known, configuration):
        self.now[path.name, str(configuration)] = time.monotonic()
        try:
            return job(options, path, known, configuration)
        finally:
            del self.now[path.name, str(configuration)]

    def longest(self):
        """The processes that take long, for an observer."""
        now = time.monotonic()
        long = sorted(((now - begin, *what) for what, begin in list(self.now.items()) if now - begin > PROGRESS), reverse=True)
        return "".join(f"\n    {name} under {configuration}: {seconds:.0f} s" for seconds, name, configuration in long[:4])


def made(options):
    """(path, note) of each executable, compiled if need be."""
    if options.libraries:
        notes = sorted(options.executables.glob("*.json"))
        known = [(note.with_suffix(""), json.loads(note.read_text())) for note in notes]
        first, last = options.programs or (0, sys.maxsize)
        return [(path, note) for path, note in known if first <= note["first"] < last]
    first, last = (options.programs or (0, 40)) if options.only is None else (options.only, options.only + 1)
    units = []
    for begin in range(first - first % compiling.UNIT, last, compiling.UNIT):
        end = begin + compiling.UNIT if options.full or options.only is not None else min(begin + compiling.UNIT, last)
        units += [(begin, end, compiler) for compiler in options.compilers]
    folder = options.executables or options.build / "random"
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        done = [pool.submit(compiling.build, options.seed, begin, end, compiler, folder, options.keep) for begin, end, compiler in units]
        spoke = time.monotonic()
        for count, future in enumerate(done):
            future.result()
            if time.monotonic() - spoke >= PROGRESS:
                spoke = time.monotonic()
                print(f"{count + 1} of {len(done)} executables", flush=True)
        return [future.result() for future in done]


def plan(options, path, known):
    first, compiler = known["first"], known["compiler"]
    if options.full or options.only is not None:
        return configurations.everything(first, compiler, options.schedule, not options.ours)
    return configurations.some(first, compiler, options.schedule, not options.ours)


def print_regions(told):
    """What einkorn cc translated, where it compiled the programs."""
    if not sum(count for _, count, _ in told):
        return
    print(f"regions: {sum(n for n, _, _ in told)} of {sum(n for _, n, _ in told)} translated")
    for why, count in collections.Counter(why for _, _, reasons in told for why in reasons).most_common():
        print(f"  {count:4} stays OpenMP's: {why}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="build folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=span, metavar="[FIRST:]LAST")
    parser.add_argument("--only", type=int, metavar="PROGRAM")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", type=lambda t: [int(n) for n in t.split(",")], default=[1, 2, 4, 7])
    parser.add_argument("--compilers", type=lambda t: t.split(","), default=["gcc", "clang"])
    parser.add_argument("--schedule", action="append", help="only this preset of ours")
    parser.add_argument("--ours", action="store_true", help="leave the peers out")
    parser.add_argument("--full", action="store_true", help="every preset")
    parser.add_argument("--executables", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--libraries", type=pathlib.Path, metavar="DIR", help="with folders ours, libgomp and libomp: nothing is compiled")
    parser.add_argument("--keep", action="store_true", help="executables of an older generator will do")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--stacks", action="store_true", help="print the stacks of what hangs (gdb)")
    parser.add_argument("--minutes", type=float, help="begin nothing after so long, and say how much was left")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="keeps what was run, and goes on with what was not")
    parser.add_argument("--patience", type=float, default=execute.ASLEEP, metavar="SECONDS", help="with a program that sleeps")
    parser.add_argument("--cpus", type=int, default=0, metavar="N", help="as if the computer had so many, each of the jobs others")
    parser.add_argument("--slow", action="store_true", help="print which programs take longer than a second")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    begin = time.monotonic()
    if options.build:
        os.environ["PATH"] = f"{options.build.resolve() / 'bin'}:{os.environ['PATH']}"
    execute.ASLEEP, execute.RUNNING = options.patience, execute.RUNNING * options.patience / execute.ASLEEP
    executables = made(options)
    for path, known in executables:
        for number, complaint in known["left out"].items():
            last = (complaint.strip().splitlines() or ["?"])[0]
            print(f"{known['compiler']} does not compile program {number}: {last}")
    programs = {n for _, known in executables for n in known["programs"]}
    print(f"{len(programs)} programs in {len(executables)} executables, {time.monotonic() - begin:.0f} s", flush=True)
    print_regions([known["regions"] for _, known in executables if known["compiler"] == executables[0][1]["compiler"]])
    if options.compile_only:
        return 0
    return run_all(options, executables, begin)


def in_turn(options, executables):
    """An order in which an early stop has run all programs under some configuration, and something under every configuration."""
    plans = [(path, known, plan(options, path, known)) for path, known in executables]
    for step in range(max((len(p) for _, _, p in plans), default=0)):
        for number, (path, known, configurations_of_it) in enumerate(plans):
            if step < len(configurations_of_it):
                yield path, known, configurations_of_it[(number + step) % len(configurations_of_it)]


def check_libraries(options, jobs):
    checked = set()
    for path, known, configuration in jobs:
        if (known["compiler"], configuration.library) not in checked:
            checked.add((known["compiler"], configuration.library))
            problem = served_by(path, environment_of(options, configuration), configuration.library)
            if problem:
                sys.exit(problem)


def run_all(options, executables, begin):
    results, running = Results(options.results), Running(options.cpus)
    everything = list(in_turn(options, executables))
    jobs = [one for one in everything if not results.has(one[0].name, str(one[2]))]
    if len(jobs) < len(everything):
        print(f"{len(everything) - len(jobs)} of {len(everything)} processes were run before", flush=True)
    check_libraries(options, jobs)
    late = begin + 60 * options.minutes if options.minutes else float("inf")
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs, initializer=running.begin_thread)
    waiting, futures, spoke = collections.deque(jobs), {}, time.monotonic()

    def finish(*_):
        """Abandons whatever is running: its programs die with us."""
        if waiting or futures:
            print(f"not run for want of time: {len(waiting) + len(futures)} of {len(everything)} processes")
        print("\n".join(results.summary()) + f", {time.monotonic() - begin:.0f} s", flush=True)
        os._exit(1 if results.findings(True) else 0)
    signal.signal(signal.SIGTERM, finish)
    signal.signal(signal.SIGINT, finish)
    while (waiting and time.monotonic() < late) or (futures and time.monotonic() < late + GRACE):
        while waiting and len(futures) < options.jobs and time.monotonic() < late:
            one = waiting.popleft()
            futures[pool.submit(running.job, options, *one)] = one
        done, _ = concurrent.futures.wait(futures, 1, concurrent.futures.FIRST_COMPLETED)
        for future in done:
            path, known, configuration = futures.pop(future)
            found, count = future.result()
            results.add(path.name, str(configuration), known["compiler"], configuration.library, count,
                        [(finding.kind, text) for finding, text in found])
            for finding, text in found:
                # The model says who is wrong: a peer's fault is reported, but is not ours.
                if finding.kind != "slow" or options.slow:
                    print(text if configuration.library == "ours" else f"peer's {text}", flush=True)
        if time.monotonic() - spoke >= PROGRESS:
            spoke = time.monotonic()
            print(f"{spoke - begin:.0f} s: {len(results.known)} of {len(everything)} processes, "
                  f"{sum(results.count(lambda one: 0).values())} runs of a program, {len(results.findings(True))} wrong of ours"
                  f"{running.longest()}", flush=True)
    finish()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "show":
        import generate
        print(generate.unit(1, [int(sys.argv[2])])[0], end="")
        sys.exit(0)
    sys.exit(main())

#!/usr/bin/env python3
"""Random programs with locals of all kinds over sync points, through `einkorn cc`: each says the same as without OpenMP.

  run.py --build build                               300 programs (what ./dev test runs)
  run.py --build build --programs 100000 -j 2        hours
  run.py --build build --programs 0:5000 --until-first --compiler-binary WRONG   how many until a wrong copy is found
  run.py --build build --only 1234                   one program, by all compilers at all levels
  run.py show 1234                                   the C of a program
  run.py --build build --only 1234 --minimise DIR    the smallest program with that difference

The dice of the seed give every file of programs a compiler, a level of optimisation, a way to run, and --check-plan or not (--full:
all of them); every tenth has sanitizers. --target tp,complexes: both back-ends, with every program. A program that differs is one of: wrong (other sums), dead (crash or hang), broken (its codelets do not compile)."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import sys
import tempfile
import time

import check
import judge
import unit

HERE = pathlib.Path(__file__).resolve().parent
WAYS = [{}, {"EINKORN_CODELETS": "threads"}, {"EINKORN_CODELETS": "alone"}]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SANITIZER = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1"}


def span(text):
    first, _, last = text.partition(":")
    return (int(first), int(last)) if last else (0, int(first))


OFTEN = {0: 9, 1: 1, 2: 1, 3: 1}  # -O0 takes a third of the time of -O2, and what is wrong in codelets shows with any level


def configurations(options, number, target):
    """(compiler, flags, environments, --check-plan?) of a file."""
    turn = number // unit.UNIT
    if options.full:
        out = [(c, [f"-O{l}"], WAYS, check_plan) for l in options.levels for c in options.compilers for check_plan in (False, target == "tp")[:1 + (target == "tp")]]
        return out + [(c, ["-O1", *SANITIZED], [SANITIZER], False) for c in options.compilers]
    dice = random.Random(f"settings {options.seed} {turn} {target}")
    compiler, check_plan = dice.choice(options.compilers), target == "tp" and dice.random() < 0.5
    level = dice.choices(options.levels, [OFTEN[l] for l in options.levels])[0]
    way = WAYS[dice.randint(1, 2)]
    if turn % 10 == 9 and not options.no_sanitizers:  # gcc takes three times as long with them
        if "clang" in options.compilers and dice.random() < 0.75:
            compiler = "clang"
        return [(compiler, ["-O0" if dice.random() < 0.8 else "-O1", *SANITIZED], [SANITIZER], check_plan)]
    return [(compiler, [f"-O{level}"], [WAYS[0], way], check_plan)]


class Found:
    """What one file of programs came to."""

    def __init__(self):
        self.programs, self.left_out, self.regions, self.all_regions = 0, 0, 0, 0
        self.reasons, self.settings, self.differences = collections.Counter(), collections.Counter(), []


class Difference:
    def __init__(self, number, kind, what, compiler, flags, environment, target):
        self.number, self.kind, self.what = number, kind, what
        self.compiler, self.flags, self.environment, self.target = compiler, flags, environment, target

    def __str__(self):
        environment = " ".join(f"{k}={v}" for k, v in self.environment.items() if not k.startswith("ASAN"))
        words = [self.compiler, *self.flags] + ([f"--target {self.target}"] if self.target != "tp" else []) + ([environment] if environment else [])
        return f"{self.kind}: program {self.number} ({'csmith' if unit.is_csmith(self.number) else 'lifetimes'}), {' '.join(words)}: {self.what}"


def check_file(options, numbers):
    """All configurations of a file of programs."""
    found = Found()
    with tempfile.TemporaryDirectory(prefix="einkorn-csmith-") as name:
        folder = pathlib.Path(name)
        source = folder / "programs.c"
        source.write_text(unit.text_of(options.seed, numbers))
        expected, dead = check.reference(source, folder)
        if dead:  # csmith's programs need not end
            found.left_out += len(dead)
            numbers = [n for n in numbers if n not in dead]
            source.write_text(unit.text_of(options.seed, numbers))
        found.programs = len(numbers)
        begin = numbers[0] if numbers else 0
        for target, (compiler, flags, ways, check_plan) in [(t, c) for t in options.target for c in configurations(options, begin, t)]:
            tool = check.Tool(options.build, options.compiler_binary, folder, target, options.set)
            tool.check_plan = check_plan  # what a proof holds for dead is overwritten, and so is the stack between codelets
            for complaint, number in compile_all(options, tool, source, folder, numbers, compiler, flags, found):
                found.differences.append(Difference(number, "broken", complaint, compiler, flags, {}, target))
            for environment in ways:
                if not (folder / "codelets").exists():
                    continue
                found.settings[f"{compiler} {target} {' '.join(flags[:2])}{' --check-plan' if check_plan else ''}"] += len(numbers)
                results, died = check.said(folder / "codelets", {**tool.library(), **environment}, most_dead=1 if options.until_first else 30)
                for n in numbers:
                    if n in died:
                        found.differences.append(Difference(n, "dead", died[n], compiler, flags, environment, target))
                    elif n in results and results[n] != expected[n]:
                        threads = "+".join(a.split()[1] for a, b in zip(results[n], expected[n]) if a != b)
                        found.differences.append(Difference(n, "wrong", f"with {threads} threads", compiler, flags, environment, target))
    return found


def compile_all(options, tool, source, folder, numbers, compiler, flags, found):
    """[(complaint, number)]; what compiles is in folder/codelets."""
    output, out = folder / "codelets", []
    output.unlink(missing_ok=True)
    complaint, text = tool.compile(source, output, compiler, flags)
    translated, regions, reasons, broken = check.regions_of(text)
    found.regions += translated
    found.all_regions += regions
    found.reasons.update(reasons)
    out += [(why, n) for n, why in broken.items()]
    if complaint and len(numbers) > 1:
        output.unlink(missing_ok=True)
        bad = refused(options, tool, folder, numbers, compiler, flags)
        out += [(why, n) for n, why in bad.items()]
        good = [n for n in numbers if n not in bad]
        if good and bad:
            source.write_text(unit.text_of(options.seed, good))
            complaint, _ = tool.compile(source, output, compiler, flags)
        if complaint:
            output.unlink(missing_ok=True)
            out.append((complaint, good[0] if good else numbers[0]))
    elif complaint:
        out.append((complaint, numbers[0]))
    return out


def refused(options, tool, folder, numbers, compiler, flags):
    """The programs of which the compiler refuses the codelets."""
    source = folder / "part.c"
    source.write_text(unit.text_of(options.seed, numbers))
    complaint, _ = tool.compile(source, folder / "part", compiler, flags)
    if not complaint:
        return {}
    if len(numbers) == 1:
        return {numbers[0]: complaint[-600:]}
    half = len(numbers) // 2
    return {**refused(options, tool, folder, numbers[:half], compiler, flags), **refused(options, tool, folder, numbers[half:], compiler, flags)}


def files(options):
    first, last = (options.only, options.only + 1) if options.only is not None else options.programs
    for begin in range(first - first % unit.UNIT, last, unit.UNIT):
        numbers = [n for n in range(begin, begin + unit.UNIT) if first <= n < last]
        if options.mode == "both" or unit.is_csmith(begin) == (options.mode == "csmith"):
            yield numbers


def run(options):
    begin, total, kinds, stopped = time.monotonic(), Found(), collections.Counter(), False
    seen, first = {}, None
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        queue, waiting = files(options), collections.deque()
        spoke = begin
        while True:
            while len(waiting) < options.jobs + 1 and not stopped and (not options.minutes or time.monotonic() - begin < options.minutes * 60):
                numbers = next(queue, None)
                if numbers is None:
                    break
                waiting.append(pool.submit(check_file, options, numbers))
            if not waiting:
                break
            found = waiting.popleft().result()
            total.programs += found.programs
            total.left_out += found.left_out
            total.regions += found.regions
            total.all_regions += found.all_regions
            total.reasons.update(found.reasons)
            total.settings.update(found.settings)
            for difference in found.differences:
                if difference.kind not in options.kinds:
                    continue
                if difference.number in seen and seen[difference.number] != difference.kind and difference.kind == "broken" or difference.number not in seen:
                    verdict = judge.verdict(options, difference) if not options.no_judge else None
                    if verdict:
                        print(f"the generator is wrong: {difference}: {verdict}", flush=True)
                        kinds["the generator is wrong"] += 1
                        continue
                    seen[difference.number] = difference.kind
                    kinds[difference.kind] += 1
                    first = min(first, difference.number) if first is not None else difference.number
                    print(difference, flush=True)
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        (options.keep / f"{options.seed}-{difference.number}.c").write_text(f"/* {difference} */\n" + unit.text_of(options.seed, [difference.number]))
                    if options.minimise:
                        judge.minimise(options, difference)
            if seen and options.until_first:
                stopped = True
            if time.monotonic() - spoke > 30:
                spoke = time.monotonic()
                print(f"{total.programs} programs, {len(seen)} differ, {spoke - begin:.0f} s", flush=True)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    cpu = sum(u.ru_utime + u.ru_stime for u in usage)
    print(f"regions: {total.regions} of {total.all_regions} translated" + (f" ({100 * total.regions / total.all_regions:.0f} %)" if total.all_regions else ""))
    for why, count in total.reasons.most_common(options.reasons):
        print(f"  {count:5} left to OpenMP: {why}")
    if options.settings:
        print("\n".join(f"  {count:6} with {what}" for what, count in sorted(total.settings.items())))
    if first is not None and options.until_first:
        print(f"the first that differs is number {first - (options.programs[0] if options.only is None else first) + 1}")
    seconds = time.monotonic() - begin
    print(f"{total.programs} programs, {total.left_out} left out (they do not end), {sum(kinds.values())} differ"
          f"{''.join(f', {n} {k}' for k, n in kinds.items())}; {seconds:.0f} s, {cpu:.0f} s of CPU, {total.programs / max(cpu, 0.1):.1f} programs a second of CPU;"
          f" with each: 3 numbers of threads, {sum(total.settings.values()) / max(total.programs, 1):.1f} runs in all settings")
    return 1 if kinds else 0


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "show":
        seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
        print(unit.text_of(seed, [int(sys.argv[2])]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=span, default=(0, 320), metavar="[FIRST:]LAST")
    parser.add_argument("--only", type=int, metavar="PROGRAM")
    parser.add_argument("--mode", choices=["lifetimes", "csmith", "both"], default="both")
    parser.add_argument("--compilers", type=lambda t: t.split(","), default=["gcc", "clang"])
    parser.add_argument("--levels", type=lambda t: [int(n) for n in t.split(",")], default=[0, 1, 2, 3])
    parser.add_argument("--target", type=lambda t: t.split(","), default=["tp"], help="back-ends: tp,complexes")
    parser.add_argument("--full", action="store_true", help="all compilers, levels and ways to run, and sanitizers, with every file")
    parser.add_argument("--no-sanitizers", action="store_true")
    parser.add_argument("--no-judge", action="store_true", help="do not look for undefined behaviour in what differs")
    parser.add_argument("--kinds", type=lambda t: t.split(","), default=["wrong", "dead", "broken"], help="which differences count")
    parser.add_argument("--until-first", action="store_true", help="end with the first file in which something differs")
    parser.add_argument("--compiler-binary", type=pathlib.Path, help="another einkorn-codelets, a wrong copy, say")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable of the environment, of compiler and programs")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="programs that differ go there")
    parser.add_argument("--minimise", type=pathlib.Path, metavar="DIR", help="the smallest programs that differ go there (cvise)")
    parser.add_argument("--minimise-minutes", type=float, default=10, help="time for each; then what there is")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--reasons", type=int, default=12, help="how many reasons of regions that stay are printed")
    parser.add_argument("--settings", action="store_true", help="how many programs ran with each setting")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.build = options.build.resolve()
    if options.only is not None:
        options.full = True
    return run(options)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Instructions for a task or a codelet, counted by callgrind, against the counts kept in instructions.txt:

  tests/cost/instructions.py [--build DIR]            fails if one grew by more than 2 %
  tests/cost/instructions.py [--build DIR] --update   keeps the present counts

Time varies from run to run, so a little more every week goes unnoticed; a count of instructions does not vary.
instructions.c, codelets.c and border.c say what is counted. The kept counts are those of a release build by Debian 12's gcc: with another one
they are printed, and not judged."""
import argparse
import pathlib
import re

import probes
from probes import HERE, require

KEPT = HERE / "instructions.txt"
TOLERANCE = 0.02
OF_GCC = "12"
# Programs, their arguments, and what they need beside OMP_NUM_THREADS: free regions of codelets are run by their caller alone. What
# is recorded has all stamps, with counters or without.
RECORDED = {"EINKORN_RECORD": "{out}.grain", "EINKORN_RECORD_STAMPS": "all"}
TWO = "cycles,instructions"
PROGRAMS = [
    ("instructions.c", [], {}),
    ("codelets.c", [], {"EINKORN_CODELETS": "alone"}),
    ("border.c", ["recorded"], RECORDED),
    ("border.c", ["recorded, two counters"], {**RECORDED, "EINKORN_RECORD_COUNTERS": TWO}),
    ("border.c", ["recorded, four counters"], {**RECORDED, "EINKORN_RECORD_COUNTERS": f"{TWO},llc-misses,branch-misses"}),
]
HEAD = """# Instructions for an operation: COMPILER COUNT WHAT. Written by tests/cost/instructions.py --update.
"""


def count(files, number, compiler):
    """{what: instructions per operation}"""
    source, arguments, settings = PROGRAMS[number]
    program = files.build(HERE / source, compiler)
    out = files.folder / f"callgrind-{pathlib.Path(source).stem}-{number}-{compiler}"
    for old in files.folder.glob(f"{out.name}*"):
        old.unlink()
    recorded = "EINKORN_RECORD" in settings  # by a thread of the program, which does not count
    words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--sigill-diagnostics=no",
             f"--separate-threads={'yes' if recorded else 'no'}", program, *arguments]
    settings = {name: value.format(out=out) for name, value in settings.items()}
    printed = probes.execute(words, files.environment(OMP_NUM_THREADS="2", **settings))
    operations = {name: int(number) for name, number in re.findall(r"^(.+) (\d+)$", printed, re.M)}
    found = {}
    for part in files.folder.glob(f"{out.name}.[0-9]*{'-01' if recorded else ''}"):
        text = part.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M)
        total = re.search(r"^totals: (\d+)$", text, re.M)
        require(name and total, f"{part}: not what callgrind of Debian 12 writes")
        found[name.group(1)] = int(total.group(1)) / operations[name.group(1)]
    require(operations and set(found) == set(operations), f"{program} measured {operations}, callgrind {found}")
    return {name: found[name] for name in operations}


def count_all(files):
    """{(compiler, what): instructions per operation}"""
    now = {}
    for number in range(len(PROGRAMS)):
        by_compiler = files.for_each_compiler(lambda compiler, number=number: count(files, number, compiler))
        now |= {(compiler, what): number for compiler, found in by_compiler.items() for what, number in found.items()}
    return now


def read_kept():
    lines = [line.split(maxsplit=2) for line in KEPT.read_text().splitlines() if line and not line.startswith("#")]
    return {(compiler, what): float(number) for compiler, number, what in lines}


def compare(now, kept):
    """The table, and what is wrong."""
    lines, complaints = [f"{'instructions':<24}{'now':>8}{'kept':>8}"], []
    for key, number in now.items():
        before = kept.get(key)
        name = f"{key[1]}, {key[0]}"
        lines.append(f"{name:<24}{number:8.1f}" + (f"{before:8.1f}{number / before - 1:+8.1%}" if before else ""))
        if before is None:
            complaints.append(f"{name}: no count is kept; tests/cost/instructions.py --update")
        elif number > before * (1 + TOLERANCE):
            complaints.append(f"{name}: {number:.1f} instructions, kept {before:.1f}. Take back what made it grow, "
                              "or, if it is worth it: tests/cost/instructions.py --update, and say why")
        elif number < before * (1 - TOLERANCE):
            lines.append("  fewer than kept: tests/cost/instructions.py --update holds on to that")
    complaints += [f"{what}, {compiler}: kept but not measured" for compiler, what in kept.keys() - now.keys()]
    return lines, complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build", help="build folder")
    parser.add_argument("--update", action="store_true", help="keep the counts of now")
    options = parser.parse_args()
    files = probes.Probes(options.build.resolve())
    now = count_all(files)
    if options.update:
        KEPT.write_text(HEAD + "".join(f"{c} {number:.1f} {what}\n" for (c, what), number in now.items()))
    kept = read_kept() if KEPT.exists() else {}
    lines, complaints = compare(now, kept)
    version = probes.execute([probes.COMPILERS["gcc"], "-dumpversion"]).strip()
    if version != OF_GCC:
        print("\n".join(lines), f"\nThe counts are kept for gcc {OF_GCC}, this is {version}: not judged.")
        return []
    for _ in range(3):
        if not complaints:
            break
        # A second thread that looks for work adds what it does meanwhile: the least is what an operation costs.
        again = count_all(files)
        now = {key: min(number, again.get(key, number)) for key, number in now.items()}
        lines, complaints = compare(now, kept)
    print("\n".join(lines))
    (files.folder / "instructions.txt").write_text("\n".join(lines) + "\n")  # ./dev test shows it
    return complaints


probes.run(main)

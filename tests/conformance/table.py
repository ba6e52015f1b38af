#!/usr/bin/env python3
"""How many of the foreign tests pass, ours beside the peers:

  tests/conformance/table.py           of the last run in build/; what CI prints
  tests/conformance/table.py --write   the table and the failures of docs/conformance.md, from the kept lists"""
import argparse
import collections
import json
import pathlib
import sys

import cases
import executing
import kept

PAGE = cases.HERE.parent.parent / "docs" / "conformance.md"
OTHER_CLANGS, OTHER_GCCS = (13, 23), (13, 14, 15, 16)  # the oldest and the newest of clang that Debian has
USUAL = {  # in the order of the page: what they are, who built them
    "libgomp-c": ("libgomp's tests, C", "gcc 12"),
    "libgomp-c++": ("libgomp's tests, C++", "g++ 12"),
    "libgomp-fortran": ("libgomp's tests, Fortran", "gfortran 12"),
    "libgomp-clang-c": ("libgomp's tests, C", "clang 19"),
    "llvm-portable": ("LLVM's tests, portable", "clang 19"),
    "llvm-ompt": ("LLVM's tests, OMPT", "clang 19"),
    "llvm-internal": ("LLVM's tests, of its insides", "clang 19"),
}
LANGUAGES = {"c": ("C", "gcc"), "c++": ("C++", "g++"), "fortran": ("Fortran", "gfortran")}
OTHERS = {f"libgomp-clang-{number}-c": ("libgomp's tests, C", f"clang {number}") for number in OTHER_CLANGS} | {
    f"libgomp-{number}-{name}": (f"libgomp's tests of gcc {number}, {language}", f"{driver} {number}")
    for number in OTHER_GCCS for name, (language, driver) in LANGUAGES.items()}
OTHERS |= {f"libgomp-aarch64-{name}": (f"libgomp's tests, {language}, for 64-bit Arm", f"{driver} 12")
           for name, (language, driver) in LANGUAGES.items()}
SUITES = USUAL | OTHERS


def counts_file(build, suite):
    return build / "conformance" / "counts" / f"{suite}.json"


def peer_counts(suite):
    """[passing count or None], of libgomp and libomp"""
    return [measured[0][executing.PASS] if (measured := kept.peer(suite, name)) else None for name in kept.PEERS]


def of_the_last_run(build):
    heads = ["under Einkorn", "total", "passed", "failed", "time-out", "refused¹", "skipped²", *kept.PEERS, "seconds"]
    rows = []
    for suite in SUITES:
        path = counts_file(build, suite)
        if not path.exists():
            continue
        found = json.loads(path.read_text())
        outcomes = [found["counts"].get(outcome, 0) for outcome in executing.OUTCOMES]
        peers = [str(count) if count is not None else "-" for count in peer_counts(suite)]
        rows.append([suite, str(sum(outcomes)), *map(str, outcomes), *peers, f"{found['seconds']:.0f}"])
    if not rows:
        return "no suite of libgomp or LLVM was run"
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths)))
             for row in [heads, *rows]]
    return "\n".join([*lines, "¹ by the compiler  ² only compiled, or for a device or another machine"])


def page_table():
    lines = ["| tests | built by | run | Einkorn passes | libgomp | libomp | only there |", "|---|---|---|---|---|---|---|"]
    for suite, (what, compiler) in SUITES.items():
        run, passing, only_there = kept.counts(suite)
        if not run:
            continue
        peers = [str(count) if count is not None else "" for count in peer_counts(suite)]
        lines.append(f"| {what} | {compiler} | {run} | **{passing}** | {' | '.join(peers)} | {len(only_there)} |")
    return lines


def page_failures():
    """The tests that fail under ours, by their reason; of other compilers those that their own library passes."""
    by_reason = collections.defaultdict(lambda: collections.defaultdict(list))
    for suite in SUITES:
        only_there = kept.counts(suite)[2]
        for test, why in kept.reasons(suite).items():
            if suite in OTHERS and test not in only_there:
                continue
            by_reason[why][suite].append(test.rpartition("/")[2])
    lines = []
    for why in sorted(by_reason):
        tests = "; ".join(f"{suite}: {', '.join(f'`{name}`' for name in names)}" for suite, names in by_reason[why].items())
        lines.append(f"- {why} ({tests})")
    return lines or ["None."]


def replace_between(text, mark, lines):
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    head, found, rest = text.partition(begin)
    body, closed, tail = rest.partition(end)
    if not found or not closed:
        sys.exit(f"table.py: {PAGE} has no '{begin}' ... '{end}'")
    return "\n".join([head + begin, *lines, end + tail])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", type=pathlib.Path, default=cases.HERE.parent.parent / "build", help="build folder")
    p.add_argument("--write", action="store_true", help="write docs/conformance.md")
    options = p.parse_args()
    if options.write:
        text = replace_between(PAGE.read_text(), "counts", page_table())
        PAGE.write_text(replace_between(text, "failures", page_failures()))
    else:
        print(of_the_last_run(options.build))
    return 0


if __name__ == "__main__":
    sys.exit(main())

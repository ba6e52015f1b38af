#!/usr/bin/env python3
"""Has our library every symbol, under every version node, of the two that it takes the place of?

  tests/conformance/symbols.py LIBRARY [--real PATH ...] [--left-out FILE] [--newer FILE]

A program that asks for one symbol@version that we do not export does not even start. The same of the names of later libraries that are
not on this machine (newer-names.txt). Prints a line for each failure,
then `N passed, N failed`."""
import argparse
import fnmatch
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REAL = ["/usr/lib/x86_64-linux-gnu/libgomp.so.1", "/usr/lib/llvm-19/lib/libomp.so.5"]


def exported(path):
    """NAME@NODE of each dynamic symbol; a version node itself counts, as NAME."""
    done = subprocess.run(["nm", "-D", "--with-symbol-versions", "--defined-only", path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"symbols.py: nm cannot read {path}: {done.stderr.strip()}")
    names = {line.split()[-1].replace("@@", "@") for line in done.stdout.splitlines() if line.strip()}
    if len(names) < 100:
        sys.exit(f"symbols.py: {path} exports only {len(names)} symbols: is it the right file?")
    return names


def defaults(path):
    """Names by default node: what a linker binds new programs to."""
    out = subprocess.run(["nm", "-D", "--with-symbol-versions", "--defined-only", path], capture_output=True, text=True).stdout
    return dict(line.split()[-1].split("@@") for line in out.splitlines() if "@@" in line)


def read_left_out(path):
    patterns = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        pattern, _, reason = line.partition("#")
        if not pattern.strip():
            continue
        if not reason.strip():
            sys.exit(f"symbols.py: {path}:{number}: '{pattern.strip()}' has no reason")
        patterns.append(pattern.strip())
    return patterns


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("library")
    p.add_argument("--real", nargs="+", default=REAL)
    p.add_argument("--left-out", type=pathlib.Path, default=HERE / "left-out.txt")
    p.add_argument("--newer", type=pathlib.Path, default=HERE / "newer-names.txt")
    options = p.parse_args()
    ours, patterns = exported(options.library), read_left_out(options.left_out)
    passed, failed, used = 0, 0, set()
    newer = {line for line in options.newer.read_text().splitlines() if line and not line.startswith("#")}
    for path, real in [*((path, exported(path)) for path in options.real), (options.newer, newer)]:
        for symbol in sorted(real):
            match = next((pattern for pattern in patterns if fnmatch.fnmatchcase(symbol, pattern)), None)
            if symbol in ours:
                passed += 1
            elif match:
                used.add(match)
            else:
                failed += 1
                print(f"{symbol} of {path} is missing (add it to src/abi/exports.txt, or to {options.left_out.name} with a reason)")
    for pattern in patterns:
        if pattern not in used:
            failed += 1
            print(f"{options.left_out.name}: '{pattern}' matches nothing that is missing: take it out")
    # gcc's programs are linked against our file too (libgomp.so beside it): they must get libgomp's newest node.
    own_defaults = defaults(options.library)
    for name, node in sorted(defaults(options.real[0]).items()):
        if own_defaults.get(name) == node:
            passed += 1
        else:
            failed += 1
            print(f"{name}: default node {own_defaults.get(name)}, in {options.real[0]} {node}")
    # Nothing else may leak: a C++ name or an inside of ours could be bound by the program instead of its own.
    real_names = {symbol.split("@")[0] for path in options.real for symbol in exported(path)} | {s.split("@")[0] for s in newer}
    # src/abi/signals.cpp, which says why; never as default versions: a linker must not take them for ours.
    real_names |= {s.split("@")[0] for s in ours if s in ("sigaction@GLIBC_2.2.5", "signal@GLIBC_2.2.5") and
                   s.split("@")[0] not in own_defaults} | {"GLIBC_2.2.5", "EINKORN_1.0"}
    for symbol in sorted({s.split("@")[0] for s in ours} - real_names):
        if symbol.startswith(("omp_", "GOMP_", "OMP_", "GOACC_", "acc_", "ompx_", "ek_", "ompt_", "ompd_", "__kmpc_", "VERSION")):
            passed += 1
        else:
            failed += 1
            print(f"{symbol} is exported by our library alone: hide it")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

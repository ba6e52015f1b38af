#!/usr/bin/env python3
"""How many regions of the C sources at hand become codelets, and why the others do not:

  coverage.py --build build                      all: programs/, bench/, tests/, libgomp's C tests, LLVM's
  coverage.py --build build --only programs,bench --least 95
  coverage.py --build build --where directive    the places of a reason; all: of each

Sources are translated and not compiled. What the tool cannot read (tests that a compiler is to refuse, or that need what is not here)
is counted as such, and has no regions. --least: fewer translated regions of a hundred are a failure."""
import argparse
import collections
import concurrent.futures
import dataclasses
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
sys.path.insert(0, str(ROOT / "tests" / "compiler" / "programs"))
import explained  # noqa: E402
import libgomp_suites  # noqa: E402
import sources  # noqa: E402
sys.path.insert(0, str(ROOT / "tests" / "compiler"))
import reasons as kept_reasons  # noqa: E402

OWN = ["-std=gnu11", "-O2", "-fopenmp", f"-I{ROOT / 'include'}"]


@dataclasses.dataclass
class Source:
    path: pathlib.Path
    flags: list
    compiler: str = "gcc-12"  # behind


def programs(_):
    found = [Source(path, OWN) for path in sorted((ROOT / "programs").glob("*.c"))]
    return found + [Source(one.path, [*OWN, "-DUNTIED=untied"]) for one in found if "UNTIED" in one.path.read_text()]


def bench(_):
    return [Source(path, [*OWN, f"-I{ROOT / 'bench'}"]) for path in sorted((ROOT / "bench").glob("*.c"))]


def tests(_):
    """Programs of the tests, but for those that are the compiler's own."""
    found = [path for path in sorted((ROOT / "tests").rglob("*.c")) if "compiler" not in path.relative_to(ROOT / "tests").parts[:1]]
    return [Source(path, [*OWN, f"-I{path.parent}"]) for path in found if "#pragma omp" in path.read_text(errors="replace")]


def libgomp(options):
    suite, seen = libgomp_suites.suites()["c"], {}
    for test in libgomp_suites.read(suite, options.build)[0]:
        if test.skip:
            continue
        words = test.command[len(suite.command):]
        flags = [word for word in words if not word.endswith((".c", ".s", ".S"))]
        for path in map(pathlib.Path, filter(lambda word: word.endswith(".c"), words)):
            seen.setdefault((path, tuple(flags)), Source(path, flags))
    return list(seen.values())


def llvm(_):
    folder = sources.llvm() / "runtime" / "test"
    found = []
    for path in sorted(folder.rglob("*.c")):
        runs = re.findall(r"RUN:\s*(%\S*compile\S*)(.*)", path.read_text(errors="replace"))
        flags = shlex.split(runs[0][1].split("|")[0].split("&&")[0].split(";")[0]) if runs else []
        defined = [word for word in flags if word.startswith(("-D", "-f", "-std="))]
        found.append(Source(path, ["-fopenmp", f"-I{folder}", f"-I{folder / 'ompt'}", f"-I{path.parent}", *defined], "clang-19"))
    return found


SETS = {"programs": programs, "bench": bench, "tests": tests, "libgomp": libgomp, "llvm": llvm}


def translate(tool, source, number, folder):
    """What --explain said; None: it cannot be read."""
    explain = pathlib.Path(folder) / f"{number}.explain"
    done = subprocess.run([tool, source.path, "-o", explain.with_suffix(".c"), "--compiler", source.compiler, "--explain", explain, "--", *source.flags],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=300, cwd=source.path.parent)
    if done.returncode != 0:
        return None
    return explained.read(explain.read_text(errors="replace"))


def run_set(name, options, pool, folder):
    wanted = SETS[name](options)
    tool = options.build / "bin" / "einkorn-codelets"
    said = list(pool.map(lambda one: translate(tool, one[1], f"{name}-{one[0]}", folder), enumerate(wanted)))
    return [one for one in said if one], sum(one is None for one in said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", type=lambda t: t.split(","), default=list(SETS), metavar="SET,...", help=", ".join(SETS))
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--where", metavar="REASON", help="print its places")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    options.build = options.build.resolve()
    if unknown := set(options.only) - set(SETS):
        sys.exit(f"no such set: {', '.join(sorted(unknown))}. There are {', '.join(SETS)}.")
    listed = kept_reasons.listed(options.build / "bin" / "einkorn-codelets")
    known = kept_reasons.patterns(listed)
    sentence_of = {name: sentence for name, sentence, _ in listed}
    translated = regions = 0
    reasons = collections.defaultdict(list)
    print(f"{'sources':10} {'files':>5} {'unread':>6} {'regions':>7} {'translated':>10}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            try:
                said, unread = run_set(name, options, pool, folder)
            except sources.Missing as missing:
                sys.exit(str(missing))
            its, all_of_them = sum(one.translated for one in said), sum(one.regions for one in said)
            translated, regions = translated + its, regions + all_of_them
            print(f"{name:10} {len(said):5} {unread:6} {all_of_them:7} {its:10} {100 * its / max(all_of_them, 1):6.1f} %", flush=True)
            for one in said:
                for why, where in one.reasons:
                    name = next((name for name, pattern in known.items() if pattern.match(why)), "")
                    reasons[name].append((why, where))
    share = 100 * translated / max(regions, 1)
    print(f"{'all':10} {'':5} {'':6} {regions:7} {translated:10} {share:6.1f} %")
    for name, places in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{len(places):5}  {name:24} {sentence_of.get(name, 'not on the list')}")
        if options.where and (options.where in name or options.where == "all"):
            for text, where in places:
                print(f"         {where}: {text}")
    if not regions or share < options.least:
        print(f"fewer than {options.least} % of the regions are translated")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Whole C projects with OpenMP, from Debian's source packages, built by CC="einkorn cc" in their own build systems; their own tests are run.

  run.py --build build NAME...        some; all without a name. --list says which there are
  run.py --build build --sources DIR  sources that lie there (apt-get source --download-only) are taken, not fetched

Each is built twice, by gcc and by `einkorn cc`, in a scratch folder (--folder keeps it), and its tests are run four times: as gcc made it, on
gcc's library; the same on Einkorn's; and what `einkorn cc` made in both forms (EINKORN_CODELETS=off, and codelets). A test that passes in the
first and not in another is a failure. Printed, as rows of a table: sources with OpenMP, regions translated and why the others were not,
tests passed, and how much longer the build takes.

Not part of ./dev test: it wants the network, the packages of each project's Build-Depends (apt-get build-dep NAME), and up to an hour."""
import argparse
import collections
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = "-O2 -g"


@dataclasses.dataclass
class Project:
    package: str
    build: str      # shell, in the sources' folder; $CC, $CFLAGS
    tests: str      # shell; what it prints is counted
    counts: str = ""  # a regular expression with the group "passed", and maybe "failed"; without: one line "ok" a test


AUTOTOOLS = r"^# PASS: +(?P<passed>\d+)$"
PROJECTS = {
    # Debian's tests of the package, and that one thread makes the tree that it always made.
    "fasttree": Project("fasttree", "make fasttreeMP",
                        "for f in debian/tests/test.fasta debian/tests/test.phylip; do for n in 1 2 4; do "
                        "OMP_NUM_THREADS=$n ./fasttreeMP -nt -seed 1 $f > tree 2> said && [ -s tree ] && echo ok; done; "
                        "OMP_NUM_THREADS=1 ./fasttreeMP -nt -seed 1 $f 2> said | cmp - $PLAIN.$(basename $f) && echo ok; done"),
    "libsharp": Project("libsharp", "./configure --disable-shared && make", "make check", AUTOTOOLS),
    "libsoxr": Project("libsoxr", 'cmake -B made -DCMAKE_C_COMPILER="$WRAPPER" -DCMAKE_C_FLAGS="$CFLAGS" -DWITH_OPENMP=ON -DWITH_LSR_BINDINGS=ON '
                       "-DBUILD_TESTS=ON && make -C made", "cd made && ctest", r"^(?P<passed>\d+)% tests passed, (?P<failed>\d+) tests failed"),
    "clustalo": Project("clustalo", "./configure && make",
                        "for n in 1 2 4; do for more in '' '--full' '--iter=1' '--use-kimura --full'; do "
                        "src/clustalo -i $HERE/proteins.fasta --threads=$n $more > out.fa && cmp out.fa $PLAIN.\"$(echo $more | tr -d ' ')\" && "
                        "echo ok; done; done"),
    "fftw3": Project("fftw3", "./configure --enable-openmp --enable-threads --disable-fortran --disable-doc && make",
                     "cd tests && for n in 1 2 4; do perl -w ./check.pl -r -c=15 -v --nthreads=$n `pwd`/bench > said 2>&1 && echo ok; done"),
    "graphicsmagick": Project("graphicsmagick", "./configure --without-perl --without-magick-plus-plus --disable-installed && make",
                              "make check", AUTOTOOLS),
    "libimagequant": Project("libimagequant", './configure --with-openmp CC="$CC" CFLAGS="$CFLAGS" && make static && '
                             "$CC $CFLAGS -fopenmp $HERE/quantize.c -I. libimagequant.a -lm -fopenmp -o quantize",
                             "for n in 1 2 4; do OMP_NUM_THREADS=$n ./quantize && echo ok; done"),
    "andi": Project("andi", "autoreconf -fi && ./configure --disable-dependency-tracking --enable-unit-tests && make", "make check", AUTOTOOLS),
    # Its tests compare what two ways of reading the same sequences make; they set one thread, which is changed here. With several, what
    # velvetg makes depends on their order: it has to end, and to find contigs.
    "velvet": Project("velvet", "sed -i 's|../third-party/zlib-1.2.3/zlib.h|zlib.h|' src/*.[ch] && "
                      'make CC="$CC" CFLAGS="$CFLAGS -fgnu89-inline" OPENMP=1 obj velveth velvetg',
                      "cd tests && for n in 1 2 4; do sed -i \"s/OMP_NUM_THREADS=.*/OMP_NUM_THREADS=$n/\" run-tests.sh; "
                      "bash run-tests.sh 2>&1 | sed -n 's/.*passed test .*/ok/p'; export OMP_NUM_THREADS=$n; rm -rf graph; "
                      "../velveth graph 21 -shortPaired -fastq.gz reads.fq.gz && ../velvetg graph -exp_cov auto -ins_length 300 && "
                      "[ -s graph/contigs.fa ] && echo ok; done"),
    "kissfft": Project("kissfft", 'cmake -B made -DCMAKE_C_COMPILER="$WRAPPER" -DCMAKE_C_FLAGS="$CFLAGS" -DKISSFFT_OPENMP=ON -DKISSFFT_TOOLS=OFF '
                       "-DKISSFFT_DATATYPE=double && make -C made",
                       "cd made && ctest -E '^bm-|testkiss'", r"^(?P<passed>\d+)% tests passed, (?P<failed>\d+) tests failed"),
    # Without its own flags it takes no -fopenmp; each format tests itself.
    "john": Project("john", "cd src && make linux-x86-64 CC=\"$CC\" OMPFLAGS=-fopenmp",
                    "cd run && for n in 1 2 4; do OMP_NUM_THREADS=$n ./john --test=1 | sed -n 's/^Benchmarking.*DONE$/ok/p'; done"),
    "librsb": Project("librsb", "./configure --enable-matrix-types=double --disable-fortran-examples --disable-c++-examples && make librsb.la rsbench",
                      "for n in 1 2 4; do OMP_NUM_THREADS=$n timeout 120 ./rsbench -Q 10.0Q && echo ok; done"),
    "sundials": Project("sundials", 'cmake -B made -DCMAKE_C_COMPILER="$WRAPPER" -DCMAKE_C_FLAGS="$CFLAGS" -DENABLE_OPENMP=ON '
                        "-DBUILD_CVODE=OFF -DBUILD_CVODES=OFF -DBUILD_IDA=OFF -DBUILD_IDAS=OFF -DBUILD_KINSOL=OFF -DBUILD_ARKODE=ON && make -C made",
                        "cd made && ctest -R 'openmp|omp'", r"^(?P<passed>\d+)% tests passed, (?P<failed>\d+) tests failed"),
    "hypre": Project("hypre", "cd src && ./configure --without-MPI --with-openmp --disable-fortran CFLAGS=\"$CFLAGS -fopenmp\" LDFLAGS=-fopenmp && make && make -C test ij struct sstruct",
                     "cd src/test && for n in 1 2 4; do for words in '-n 20 20 20 -solver 1' '-n 20 20 20 -solver 0' '-n 16 16 16 -27pt -solver 2'; do "
                     "OMP_NUM_THREADS=$n ./ij $words | awk '/Final Relative Residual/ {found = $NF < 1e-6} END {exit !found}' && echo ok; done; done"),
}

# Between the project's build system and `einkorn cc`: what --explain says goes to a file.
WRAPPER = """#!/bin/bash
said=$(mktemp)
{einkorn} cc --explain "$@" 2> "$said"
status=$?
grep -E {lines} "$said" >> {log}
grep -vE {lines} "$said" >&2
rm -f "$said"
exit $status
"""
EXPLAINED = r": (region of|tasks? of|function|stays OpenMP's)|^translated [0-9]+ of [0-9]+ regions$"
REGION = re.compile(r"^(?P<where>.*:\d+): region of (?P<of>.*?): (?P<what>translated|stays OpenMP's: (?P<why>.*))")


def shell(command, folder, environment, log):
    """(status, what it printed)"""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with open(log, "a") as out:
        out.write(f"$ {command}\n{done.stdout}\n")
    return done.returncode, done.stdout


def fetch(project, folder, kept):
    """The folder of its sources; where Debian's changes cannot be had, the authors' own."""
    if kept is None:
        kept = folder / "archives"
        kept.mkdir(exist_ok=True)
        subprocess.run(["apt-get", "source", "--download-only", "-qq", project.package], cwd=kept, check=False)
    described = sorted(kept.glob(f"{project.package}_*.dsc"))
    to = folder / project.package
    shutil.rmtree(to, ignore_errors=True)
    if described and subprocess.run(["dpkg-source", "--no-check", "-x", described[-1], to], capture_output=True).returncode == 0:
        return to, described[-1].stem.split("_")[1]
    originals = sorted(kept.glob(f"{project.package}_*.orig.tar.*z*"))
    originals = [o for o in originals if not o.name.endswith(".asc")]
    if not originals:
        return None, ""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    subprocess.run(["tar", "xf", originals[-1], "-C", to, "--strip-components=1"], check=True)
    return to, originals[-1].name.split("_")[1].split(".orig")[0] + ", without Debian's changes"


def tests_of(project, folder, environment, log):
    """(passed, failed)"""
    _, said = shell(project.tests, folder, environment, log)
    if not project.counts:
        return said.splitlines().count("ok"), None
    passed = failed = 0
    for match in re.finditer(project.counts, said, re.MULTILINE):
        found = match.groupdict()
        if "failed" in found:  # of ctest: a share, and how many
            total = int(re.search(r"tests failed out of (\d+)", said)[1])
            failed += int(found["failed"])
            passed += total - int(found["failed"])
        else:
            passed += int(found["passed"])
    failed += sum(int(n) for n in re.findall(r"^# (?:FAIL|ERROR): +(\d+)$", said, re.MULTILINE))
    return passed, failed


def one(name, options, folder):
    """A row of the table, and what is wrong."""
    project, einkorn = PROJECTS[name], options.build / "bin" / "einkorn"
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    original, version = fetch(project, place, options.sources)
    if original is None:
        return f"| {name} | its sources cannot be had |", []
    log, explained = place / "log", place / "explained"
    explained.write_text("")
    wrapper = place / "cc"
    wrapper.write_text(WRAPPER.format(einkorn=einkorn, log=explained, lines=shlex.quote(EXPLAINED)))
    wrapper.chmod(0o755)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "GOMP_", "LD_"))}
    clean |= {"CFLAGS": FLAGS, "HERE": str(pathlib.Path(__file__).resolve().parent), "PLAIN": str(place / "expected"), "OMP_NUM_THREADS": "2"}
    seconds, made = {}, {}
    for how, compiler in [("plain", "gcc"), ("codelets", str(wrapper))]:
        made[how] = place / how
        shutil.rmtree(made[how], ignore_errors=True)
        shutil.copytree(original, made[how], symlinks=True)
        begun = time.monotonic()
        status, said = shell(project.build, made[how], clean | {"CC": compiler, "WRAPPER": compiler}, log)
        seconds[how] = time.monotonic() - begun
        if status != 0:
            return f"| {name} {version} | {how}: it is not built |", [f"{name}, {how}: status {status}: " + "\n".join(said.splitlines()[-15:])]
    if "$PLAIN" in project.tests:  # what gcc's program says is what is expected
        expect(name, made["plain"], clean, log)
    ours = {"LD_LIBRARY_PATH": str(options.build / "lib")}
    results = {}
    for what, how, more in [("gcc's library", "plain", {}), ("Einkorn's", "plain", ours), ("OpenMP's form", "codelets", ours | {"EINKORN_CODELETS": "off"}),
                            ("codelets", "codelets", ours)]:
        results[what] = tests_of(project, made[how], clean | more | {"CC": "gcc" if how == "plain" else str(wrapper)}, log)
    regions = {}
    for line in explained.read_text().splitlines():
        if found := REGION.match(line):
            regions.setdefault(found["where"] + found["of"], found["why"])
    left = collections.Counter(re.sub(r"'[^']*'", "'...'", re.sub(r" \([^()]*:\d+\)", "", why)) for why in regions.values() if why)
    wrong = [f"{name}: {what}: {results[what]} tests, {results[chr(103) + 'cc' + chr(39) + 's library']} of gcc's" for what in list(results)[1:]
             if results[what] != results["gcc's library"]]
    wrong += [f"{name}: {line}" for line in log.read_text().splitlines() + explained.read_text().splitlines() if "lease report it" in line]
    files = sum("pragma omp" in path.read_text(errors="replace") for path in original.rglob("*.[ch]") if path.is_file())
    reasons = "; ".join(f"{count} {why}" for why, count in left.most_common()) or "none"
    row = (f"| {name} {version} | {files} | {sum(why is None for why in regions.values())} of {len(regions)} | {reasons} | "
           + " / ".join(str(results[what][0]) for what in results) + f" | {seconds['codelets'] / max(seconds['plain'], 1e-9):.2f} |")
    return row, wrong


def expect(name, folder, environment, log):
    """Runs what gcc made once, for the files that the others' output is compared with."""
    if name == "fasttree":
        command = ("for f in debian/tests/test.fasta debian/tests/test.phylip; do OMP_NUM_THREADS=1 ./fasttreeMP -nt -seed 1 $f 2> said > "
                   "$PLAIN.$(basename $f); done")
    else:
        command = ("for more in '' '--full' '--iter=1' '--use-kimura --full'; do "
                   "src/clustalo -i $HERE/proteins.fasta --threads=1 $more > $PLAIN.\"$(echo $more | tr -d ' ')\"; done")
    shell(command, folder, environment, log)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="work here, and keep it")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(PROJECTS))
        return
    for name in options.names:
        if name not in PROJECTS:
            sys.exit(f"no project {name}: --list says which there are")
    options.build = options.build.resolve()
    options.sources = options.sources.resolve() if options.sources else None
    scratch = tempfile.TemporaryDirectory(prefix="projects-")
    folder = (options.folder or pathlib.Path(scratch.name)).resolve()
    rows, wrong = [], []
    for name in options.names or PROJECTS:
        row, mistakes = one(name, options, folder)
        print(row, flush=True)
        rows.append(row)
        wrong += mistakes
    print("\n| project | files with OpenMP | regions translated | left to OpenMP | tests passed: gcc's library / Einkorn's / OpenMP's form / codelets | "
          "time of the build |\n|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n" + "\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

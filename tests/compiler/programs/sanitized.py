#!/usr/bin/env python3
"""The programs of programs/ under ThreadSanitizer and AddressSanitizer, through `einkorn cc`: the codelets have to be as clean as
OpenMP's form of the same executables (EINKORN_CODELETS=off).

  sanitized.py --build build --sanitizer thread --compiler gcc --library build-tsan/lib
  sanitized.py --build build --sanitizer address --compiler clang

ThreadSanitizer has to know what orders the threads, so its library has to be one that the same compiler has made, as each
compiler has a runtime of its own for it, and a process has room for one:

  cmake --preset tsan && ninja -C build-tsan einkorn_runtime                                                       gcc
  cmake --preset tsan -B build-tsan-clang -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19              clang

Reports that only the codelets have are failures, and so is a wrong result. Those of both forms are printed. (OpenMP's form is
run where the codelets have reports; with --both always.)"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import time

import run as programs

# A sanitizer takes ten times as long.
CASES = """
alignment --size 8 --length 30
alignment --size 8 --length 30 --version single --cutoff 20
alignment --size 8 --length 30 --version loop
bfs --size 9 --cutoff 4
bfs --size 9 --version loop --graph random --cutoff 4
bfs --size 6 --version loop --graph mesh --no-cutoff --chunk 8
bfs --size 6 --version static --graph mesh --no-cutoff
cg --size 8 --steps 20
cg --size 8 --steps 20 --schedule static --init parallel
cholesky --size 5 --block 8
cholesky --size 5 --block 8 --version task --cutoff 3
cholesky --size 5 --block 8 --version loop
cube --size 4 --tuples 500
cube --size 4 --tuples 500 --version loop
fft --size 9 --cutoff 64 --piece 64
fft --size 9 --version loop
fib --size 14
fib --size 14 --one-task
floorplan --size 5 --no-cutoff
floorplan --size 5
health --size 3 --steps 20
heat --size 40 --steps 10
heat --size 40 --steps 10 --schedule dynamic --chunk 3
heat --size 40 --steps 10 --schedule guided
jacobi --size 4 --block 8 --steps 8
jacobi --size 4 --block 8 --steps 8 --version task
jacobi --size 4 --block 8 --steps 8 --version loop
loadbalance --size 40 --length 200 --repeat 2
loadbalance --size 40 --length 200 --repeat 2 --version dynamic
loadbalance --size 40 --length 200 --repeat 2 --version task
md --size 4 --steps 2
md --size 4 --steps 2 --schedule dynamic
nested --directions 3 --size 60 --steps 5 --inner 2
nqueens --size 6 --no-cutoff
nqueens --size 7
purify --size 60
qr --size 4 --block 8
qr --size 4 --block 8 --version task --cutoff 3
qr --size 4 --block 8 --version loop
scf --size 2 --steps 3
sort --size 20000
sort --size 4000 --cutoff 64 --merge-cutoff 64
sparselu --size 6 --block 8
sparselu --size 6 --block 8 --version depend
stencil --size 30 --steps 20
stencil --size 60 --steps 10 --version task
strassen --size 64 --leaf 16
trajectory --size 10
trajectory --size 12 --version loop
uts --size 60
"""
REPORT = re.compile(r"SUMMARY: (?P<what>\w+Sanitizer: .*)|(?P<where>\S+:\d+:\d+): runtime error: .*")
# In a C program clang's runtime does not see the guards of static variables in C++ libraries: the first thread reads the machine.
SUPPRESSED = "race:ompx_get_domain_num\n"


def cases(only):
    """{program: [its arguments]}"""
    all_of = collections.defaultdict(list)
    for name, *words in filter(None, map(str.split, CASES.splitlines())):
        if not only or name in only:
            all_of[name].append(words)
    return all_of


def build(options, program, folder):
    """(path, what is wrong)"""
    more = ["-L/usr/lib/x86_64-linux-gnu/openblas-pthread", "-Wl,-rpath,/usr/lib/x86_64-linux-gnu/openblas-pthread",
            "-lopenblas"] if program in programs.BLAS else []
    output = folder / f"{program}-{options.compiler}-{options.sanitizer}"
    words = [options.build / "bin" / "einkorn", "cc", "--compiler", programs.COMPILERS[options.compiler], "--target", options.target,
             "-std=gnu11", "-O1", "-g", "-fopenmp", f"-fsanitize={options.sanitizer}", f"-I{programs.ROOT / 'include'}", f"{program}.c", "-o", output, *more,
             "-lm"]
    done = subprocess.run(list(map(str, words)), cwd=programs.ROOT / "programs", env=programs.clean({}), capture_output=True, text=True)
    return (output, None) if done.returncode == 0 else (None, done.stderr.strip()[-300:])


def run(options, path, arguments, form, threads):
    """(the reports, what is wrong besides)"""
    environment = {"LD_LIBRARY_PATH": str(options.library), "OMP_NUM_THREADS": str(threads), "EINKORN_CODELETS": form,
                   "LSAN_OPTIONS": "exitcode=0",  # some programs leave it to the system to free what they have; else their output is lost
                   "TSAN_OPTIONS": f"exitcode=66 suppressions={path.parent / 'suppressed.clang'}" if options.compiler == "clang" else "exitcode=66"}
    try:
        done = subprocess.run([path, *arguments], env=programs.clean(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=options.limit)
    except subprocess.TimeoutExpired:
        return collections.Counter(), f"still running after {options.limit:.0f} seconds"
    found = collections.Counter(m["what"] or m["where"] for m in REPORT.finditer(done.stderr))
    if "check=ok" not in done.stdout:
        return found, f"exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"
    if done.returncode != 0 and not found:
        return found, f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    return found, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, help="folder of the library to run on; default: that of --build")
    parser.add_argument("--sanitizer", choices=["thread", "address", "address,undefined"], required=True)
    parser.add_argument("--compiler", choices=list(programs.COMPILERS), default="gcc")
    parser.add_argument("--threads", type=lambda t: [int(n) for n in t.split(",")], default=[1, 2, 4, 16])
    parser.add_argument("--target", choices=["tp", "complexes"], default="tp")
    parser.add_argument("--only", action="append", metavar="PROGRAM")
    parser.add_argument("--limit", type=float, default=120, help="seconds a run")
    parser.add_argument("--both", action="store_true", help="run OpenMP's form where the codelets are clean, too")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.library = (options.library or options.build / "lib").resolve()
    if not (options.library / "libgomp.so.1").exists():
        print(f"{options.library} has no library")
        return 77
    begin, failures, both = time.monotonic(), [], collections.Counter()
    folder = options.build / "compiler-sanitized"
    folder.mkdir(exist_ok=True)
    (folder / "suppressed.clang").write_text(SUPPRESSED)
    wanted = cases(options.only)
    if not wanted:
        sys.exit("no such program")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = dict(zip(wanted, pool.map(lambda program: build(options, program, folder), wanted)))
        failures += [f"{program}: {problem}" for program, (_, problem) in built.items() if problem]
        def run_all(keys, form):
            jobs = {key: pool.submit(run, options, built[key[0]][0], key[1].split(), form, key[2]) for key in keys}
            return {key: job.result() for key, job in jobs.items()}

        codelets = run_all([(program, " ".join(arguments), threads) for program, (path, _) in built.items() if path
                            for arguments in wanted[program] for threads in options.threads], "on")
        openmp = run_all([key for key, (found, _) in codelets.items() if found or options.both], "off")
    for form, results in ("codelets", codelets), ("OpenMP", openmp):
        failures += [f"{program} {arguments}, {threads} threads, {form}: {problem}"
                     for (program, arguments, threads), (_, problem) in results.items() if problem]
    for key, (found, _) in openmp.items():
        both.update(f"{key[0]}: {what}" for what in found)
        failures += [f"{key[0]} {key[1]}, {key[2]} threads: of the codelets alone: {what}" for what in codelets[key][0] if what not in found]
    for what, times in both.items():
        print(f"in OpenMP's form, {times} times: {what}")
    for failure in failures:
        print(failure)
    print(f"{len(codelets) + len(openmp)} runs of {len(built)} executables by {options.compiler}, -fsanitize={options.sanitizer}: {len(failures)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

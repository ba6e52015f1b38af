"""One Python process imports two PyPI wheels, one with a libgomp and one with an LLVM libomp inside, and computes in both.
No OpenMP symbol binds outside our library."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from harness import CLANG, CliTest, EINKORN, RUNTIME, environment, main

# Made by ./dev from requirements.txt.
WHEELS = Path(os.environ.get("EINKORN_WHEELS") or sys.exit("EINKORN_WHEELS is not set: run the tests with ctest"))
PYTHON = WHEELS / "bin" / "python"

COMPUTE = r"""
import numpy
from pykdtree.kdtree import KDTree

def neighbours():
    # Each point's nearest neighbour is itself; the loop over the points is a parallel for.
    points = numpy.random.default_rng(1).random((50000, 3))
    distance, index = KDTree(points).query(points)
    assert (index == numpy.arange(len(points))).all() and (distance == 0).all()
    print("pykdtree: ok")

def pi():
    from numba.openmp import njit, omp_get_num_threads, openmp_context as openmp
    @njit
    def integrate(n):
        total = 0.0
        threads = 0
        with openmp("parallel"):
            with openmp("single"):
                threads = omp_get_num_threads()
            with openmp("for reduction(+:total)"):
                for i in range(n):
                    x = (i + 0.5) / n
                    total += 4.0 / (1.0 + x * x)
        return total / n, threads
    value, threads = integrate(1000000)
    assert abs(value - 3.141592653589793) < 1e-9, value
    print("pyomp: ok,", threads, "threads")

ORDER = {"libgomp first": [neighbours, pi, neighbours], "libomp first": [pi, neighbours, pi]}
import sys
for step in ORDER[sys.argv[1]]:
    step()
for line in open("/proc/self/maps"):
    path = line.split(maxsplit=5)[-1].strip()
    if path.startswith("/"):
        print("mapped", path)
"""

# A library with a parallel region, before, in and after a limit.
LIMIT = r"""
import ctypes, sys, threadpoolctl
team = ctypes.CDLL(sys.argv[1]).team
for i in threadpoolctl.threadpool_info():
    print(i["user_api"], i["num_threads"], i["filepath"])
before = team()
with threadpoolctl.threadpool_limits(1):
    limited = team()
print(before, limited, team())
"""
TEAM = r"""
int team(void) {
  int n = 0;
  #pragma omp parallel reduction(+ : n)
  n += 1;
  return n;
}
"""

BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `((?:GOMP|omp|__kmpc|kmp|__kmp)_\w+)'")


class Wheels(CliTest):
    def setUp(self):
        super().setUp()
        self.assertTrue(PYTHON.exists(), f"{PYTHON} is missing: ./dev test makes it from tests/cli/requirements.txt")

    def test_the_wheels_bring_their_own_runtimes(self):
        # Otherwise the test below would prove nothing.
        site = next((WHEELS / "lib").glob("python3*/site-packages"))
        self.assertTrue(list(site.glob("pykdtree.libs/libgomp-*.so*")))
        self.assertTrue(list(site.glob("numba/openmp/**/libomp.so")))

    def test_both_in_one_process(self):
        for order in ["libgomp first", "libomp first"]:
            with self.subTest(order=order):
                done = self.einkorn("run", "--", PYTHON, "-c", COMPUTE, order, timeout=250, env={
                    "OMP_NUM_THREADS": "3", "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(self.folder / "debug")})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "")
                said = [line for line in done.stdout.splitlines() if not line.startswith("mapped ")]
                self.assertEqual(sorted(set(said)), ["pykdtree: ok", "pyomp: ok, 3 threads"])

                mapped = {line.split(" ", 1)[1] for line in done.stdout.splitlines() if line.startswith("mapped ")}
                self.assertIn(str(RUNTIME), mapped)
                runtimes = [p for p in mapped if re.search(r"/lib(gomp|omp|iomp5)(-[0-9a-f]+)?\.so[.0-9]*$", p)]
                self.assertEqual(runtimes, [])

                bound = set()
                for file in self.folder.glob("debug.*"):
                    with file.open() as lines:
                        for line in lines:
                            if match := BINDING.search(line):
                                bound.add(match.groups())
                    file.unlink()
                # libomptarget knows the devices; its own internal calls are its own affair.
                bound = {b for b in bound if not (b[0] == b[1] and "libomptarget" in b[0])}
                for origin, target, symbol in bound:
                    self.assertEqual(target, str(RUNTIME), f"{symbol} of {origin}")
                # And both wheels are among those bound: pyomp's compiled code finds its symbols by dlsym(), as the
                # program does.
                for origin, symbol in [("pykdtree/kdtree", "GOMP_parallel"), ("libomptarget", "__kmpc_get_target_offload"),
                                       ("bin/python", "__kmpc_fork_call")]:
                    self.assertTrue([b for b in bound if origin in b[0] and b[2] == symbol], (origin, symbol))

    def test_without_einkorn_both_runtimes_are_there(self):
        # The reference: shows that the result of the test above is due to us.
        done = subprocess.run([PYTHON, "-c", COMPUTE, "libgomp first"], env=environment({"OMP_NUM_THREADS": "3"}),
                              capture_output=True, text=True, cwd=self.folder, timeout=250)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"mapped .*/libgomp-[0-9a-f]+\.so")
        self.assertRegex(done.stdout, r"mapped .*/libomp\.so")

    def test_threadpoolctl_limits_ours(self):
        """It knows libraries by their files' names, links resolved; scikit-learn, joblib and others limit threads through it."""
        for compiler in ["gcc", CLANG]:
            library = self.compile(TEAM, "-shared", "-fPIC", name=f"team-{compiler}.so", compiler=compiler)
            words, env = [PYTHON, "-c", LIMIT, library], {"OMP_NUM_THREADS": "3"}
            for way, done in {
                "einkorn run": self.einkorn("run", "--", *words, env=env),
                "LD_LIBRARY_PATH": subprocess.run(words, capture_output=True, text=True,
                                                  env=environment({**env, "LD_LIBRARY_PATH": str(RUNTIME.parent)})),
            }.items():
                with self.subTest(way, compiler=compiler):
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(done.stdout.splitlines(), [f"openmp 3 {RUNTIME}", "3 1 3"])

    def test_names_of_code_that_numba_makes(self):
        """Its own threads' loops all run in one region of its pool, and PyOMP's regions are in no file at all."""
        code = r"""
import numba, numpy
numba.config.THREADING_LAYER = "omp"
from numba.openmp import njit, openmp_context as openmp
@numba.njit(parallel=True)
def first(x):
    for i in numba.prange(len(x)): x[i] = numpy.sin(x[i])
@numba.njit(parallel=True)
def second(x):
    for i in numba.prange(len(x)): x[i] = numpy.sqrt(x[i])
@njit
def third(n):
    total = 0.0
    with openmp("parallel for reduction(+:total)"):
        for i in range(n): total += 1.0 / (1.0 + i)
    return total
x = numpy.ones(100000)
for i in range(3): first(x); second(x); third(100000)
"""
        done = self.einkorn("record", "--no-report", "-o", "numba.grain", "--", PYTHON, "-c", code, timeout=250, env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(subprocess.run([EINKORN, "report", "--json", "numba.grain"], cwd=self.folder, capture_output=True, text=True).stdout)
        functions = {s.get("function") for s in report["sources"]}
        self.assertEqual(functions, {f"__main__::{name}" for name in ["first", "second", "third"]})
        self.assertEqual(report["named_share"], 1)
        by_region = {s["function"]: s["grains"] for s in report["sources"] if s["construct"] == "parallel"}
        self.assertEqual((by_region["__main__::first"], by_region["__main__::second"]), (6, 6))

    def test_recording_both(self):
        done = self.einkorn("record", "-o", "both.grain", "--", PYTHON, "-c", COMPUTE, "libgomp first", timeout=250,
                            env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        report = subprocess.run([EINKORN, "report", "both.grain"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("2 threads", report.stdout)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tasks with depend that come again: as a graph that einkorn cc makes of them, and as the tasks that they are, of the same binary, in
turn: runs.py --build build [--compilers gcc,clang-19] [--threads 1,2] [--pairs 9] [--work 0,1000]. ns a task, medians; the
quotient is the median of the pairs', with the least and the largest."""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=lambda t: pathlib.Path(t).resolve(), default=ROOT / "build")
    parser.add_argument("--compilers", default="gcc,clang-19")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--work", default="0,1000")
    parser.add_argument("--shapes", default="chain,free,grid,steps")
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    print("| compiler, shape, additions a task, threads | graph | depend | graph / depend |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for compiler in options.compilers.split(","):
            binary = f"{folder}/runs-{compiler}"
            subprocess.run([options.build / "bin/einkorn", "cc", "--compiler", compiler, "-O2", "-std=gnu11", "-fopenmp", ROOT / "bench/runs.c", "-o", binary], check=True)
            for shape in options.shapes.split(","):
                for work in options.work.split(","):
                    for threads in options.threads.split(","):
                        def once(codelets):
                            environment = {**os.environ, "LD_LIBRARY_PATH": str(options.build / "lib"), "OMP_NUM_THREADS": threads, "EINKORN_CODELETS": codelets}
                            done = subprocess.run([binary, shape, "30", work], env=environment, check=True, capture_output=True, text=True)
                            return float(done.stdout.split()[1])
                        pairs = [(once("on"), once("off")) for _ in range(options.pairs)]
                        graph, depend = (statistics.median(p[i] for p in pairs) for i in (0, 1))
                        quotients = sorted(a / b for a, b in pairs)
                        print(f"| {compiler}, {shape}, {work}, {threads} | {graph:.1f} | {depend:.1f} | {statistics.median(quotients):.2f} ({quotients[0]:.2f}-{quotients[-1]:.2f}) |", flush=True)


if __name__ == "__main__":
    main()

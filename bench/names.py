#!/usr/bin/env python3
"""Programs as people run them, stripped wheels and packages of a distribution, recorded as they are: the share of each one's work that has a
function's name in the report.

    python3 bench/names.py BUILD PYTHON [NAME...] [--least PERCENT] [--keep FOLDER]

PYTHON is one of a virtual environment with what WHEELS names (PyOMP has a numba of its own: give it another one). Cases whose program or
module is not there are told and left out. --least: fails where a share is smaller, or where nothing was measured.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Module that is needed, and what it computes.
WHEELS = {
    "scikit-learn": ("sklearn", """
import numpy, sklearn.cluster, sklearn.ensemble
r = numpy.random.default_rng(1); x = r.random((40000, 20)); y = x[:, 0] + x[:, 1] ** 2
sklearn.ensemble.HistGradientBoostingRegressor(max_iter=30).fit(x, y).predict(x)
sklearn.cluster.KMeans(8, n_init=3, random_state=1).fit(x)
"""),
    "lightgbm": ("lightgbm", """
import numpy, lightgbm
r = numpy.random.default_rng(1); x = r.random((40000, 20)); y = x[:, 0] + x[:, 1] ** 2
m = lightgbm.train({"objective": "regression", "verbose": -1, "num_threads": 2}, lightgbm.Dataset(x, y), 60); m.predict(x)
"""),
    "xgboost": ("xgboost", """
import numpy, xgboost
r = numpy.random.default_rng(1); x = r.random((40000, 20)); y = x[:, 0] + x[:, 1] ** 2
m = xgboost.train({"tree_method": "hist", "nthread": 2}, xgboost.DMatrix(x, y), 40); m.predict(xgboost.DMatrix(x))
"""),
    "faiss": ("faiss", """
import numpy, faiss
r = numpy.random.default_rng(1); x = r.random((8000, 32), dtype="float32")
f = faiss.IndexFlatL2(32); f.add(x); f.search(x[:1000], 5)
h = faiss.IndexHNSWFlat(32, 16); h.add(x); h.search(x, 5)
q = faiss.IndexIVFPQ(faiss.IndexFlatL2(32), 32, 64, 8, 8); q.train(x); q.add(x); q.search(x, 5)
"""),
    "numba": ("numba", """
import numba, numpy
numba.config.THREADING_LAYER = "omp"
@numba.njit(parallel=True)
def heavy(x):
    s = numpy.zeros(len(x))
    for i in numba.prange(len(x)):
        for j in range(60): s[i] += numpy.sin(x[i] * j)
    return s
@numba.njit(parallel=True)
def light(x):
    t = 0.0
    for i in numba.prange(len(x)): t += numpy.sqrt(x[i]) * numpy.cos(x[i])
    return t
@numba.vectorize(["float64(float64,float64)"], target="parallel")
def ufunc(a, b): return numpy.exp(-a * a) / (1 + b * b)
x = numpy.random.default_rng(1).random(400000)
for i in range(3): heavy(x); light(x); ufunc(x, x)
"""),
    "pyomp": ("numba.openmp", """
from numba.openmp import njit, openmp_context as openmp
@njit
def integrate(n):
    total = 0.0
    with openmp("parallel for reduction(+:total)"):
        for i in range(n):
            x = (i + 0.5) / n
            total += 4.0 / (1.0 + x * x)
    return total / n
for i in range(10): integrate(20000000)
"""),
    "pykdtree": ("pykdtree", """
import numpy
from pykdtree.kdtree import KDTree
p = numpy.random.default_rng(1).random((200000, 3)); KDTree(p).query(p, k=4)
"""),
    "graphblas": ("graphblas", """
import graphblas as gb, numpy
gb.ss.config["nthreads"] = 2
r = numpy.random.default_rng(1); n = 20000
a = gb.Matrix.from_coo(r.integers(0, n, 300000), r.integers(0, n, 300000), r.random(300000), nrows=n, ncols=n, dup_op="plus")
for i in range(3): a.mxm(a, "plus_times").new(); a.ewise_add(a.T, "plus").new(); a.reduce_rowwise("plus").new(); a.apply("sqrt").new()
"""),
    "implicit": ("implicit", """
import os; os.environ["OPENBLAS_NUM_THREADS"] = "1"
import implicit, numpy, scipy.sparse
m = scipy.sparse.random(20000, 4000, 0.01, "csr", dtype="float32", random_state=1)
a = implicit.als.AlternatingLeastSquares(32, iterations=5, use_gpu=False, num_threads=2); a.fit(m, show_progress=False)
implicit.bpr.BayesianPersonalizedRanking(32, iterations=10, use_gpu=False, num_threads=2).fit(m, show_progress=False)
"""),
    "torch": ("torch", """
import torch
m = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 10))
o = torch.optim.Adam(m.parameters()); x = torch.randn(256, 3, 32, 32); y = torch.randint(0, 10, (256,))
for i in range(10): o.zero_grad(); torch.nn.functional.cross_entropy(m(x), y).backward(); o.step()
"""),
}

FASTA = r"""
import random, sys
random.seed(1); letters, length, count = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
root = [random.choice(letters) for i in range(length)]
with open(sys.argv[1], "w") as f:
    for i in range(count):
        f.write(f">s{i}\n" + "".join(c if random.random() < 0.8 else random.choice(letters) for c in root) + "\n")
"""
WATER = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
"""
CP2K = """&GLOBAL
 PROJECT w
 RUN_TYPE ENERGY
&END
&FORCE_EVAL
 METHOD QS
 &DFT
  BASIS_SET_FILE_NAME BASIS_SET
  POTENTIAL_FILE_NAME GTH_POTENTIALS
  &MGRID
   CUTOFF 200
  &END
  &SCF
   MAX_SCF 50
   EPS_SCF 1E-3
  &END
  &XC
   &XC_FUNCTIONAL PADE
   &END
  &END
 &END
 &SUBSYS
  &CELL
   ABC 6 6 6
  &END
  &COORD
   O 0 0 0
   H 0.76 0.59 0
   H -0.76 0.59 0
   O 3 3 3
   H 3.76 3.59 3
   H 2.24 3.59 3
  &END
  &KIND O
   BASIS_SET DZVP-GTH-PADE
   POTENTIAL GTH-PADE-q6
  &END
  &KIND H
   BASIS_SET DZVP-GTH-PADE
   POTENTIAL GTH-PADE-q1
  &END
 &END
&END
"""
# Program that is needed, what makes its input (shell, in an empty folder), and what is recorded.
AMINO = "ACDEFGHIKLMNPQRSTVWY"
PROGRAMS = {
    "gromacs": ("gmx", f"""printf '{WATER}' >t.top && gmx -quiet solvate -cs spc216 -box 4 4 4 -p t.top -o w.gro &&
        printf 'integrator=md\\nnsteps=400\\ncutoff-scheme=Verlet\\ncoulombtype=PME\\nrvdw=0.9\\nrcoulomb=0.9\\n' >m.mdp &&
        gmx -quiet grompp -f m.mdp -c w.gro -p t.top -o r.tpr -maxwarn 9""", "gmx mdrun -s r.tpr -ntmpi 1 -ntomp 2 -deffnm r"),
    "cp2k": ("cp2k", f"printf '%s' '{CP2K}' >w.inp", "cp2k w.inp"),
    "data.table": ("Rscript", """echo 'library(data.table); setDTthreads(2); set.seed(1); n <- 3e6
        d <- data.table(a=sample(1e5,n,TRUE), b=runif(n), c=sample(letters,n,TRUE))
        setorder(d, a, c); x <- d[, .(s=sum(b), m=mean(b)), by=a]; y <- d[b > 0.5]; fwrite(d[1:1000000], "o.csv"); z <- fread("o.csv")' >t.R""",
                   "Rscript t.R"),
    "graphicsmagick": ("gm", "gm convert -size 800x600 plasma:red-blue i.png",
                       "gm convert i.png -blur 0x4 -unsharp 0x2 -rotate 17 -median 3 -resize 50% o.png"),
    "imagemagick": ("convert-im6.q16", "convert-im6.q16 -size 800x600 plasma:red-blue i.png",
                    "convert-im6.q16 i.png -blur 0x4 -unsharp 0x2 -rotate 17 -statistic median 3x3 -resize 50% o.png"),
    "kalign": ("kalign", f"python3 fasta.py s.fa {AMINO} 300 300", "kalign -n 2 -i s.fa -o o.fa"),
    "clustalo": ("clustalo", f"python3 fasta.py s.fa {AMINO} 200 150", "clustalo -i s.fa -o o.fa --threads=2 --force"),
    "cd-hit": ("cd-hit", f"python3 fasta.py s.fa {AMINO} 300 3000", "cd-hit -i s.fa -o o -c 0.9 -T 2 -M 0"),
    "fasttree": ("fasttreeMP", "python3 fasta.py s.fa ACGT 300 300", "fasttreeMP -nt -quiet s.fa"),
    "xtb": ("xtb", "python3 -c 'print(150); print(); [print(e, 3*i+x, y, 0) for i in range(50) for e,x,y in ((\"O\",0,0),(\"H\",.76,.59),(\"H\",-.76,.59))]' >m.xyz",
            "xtb m.xyz --gfn 2 --parallel 2"),
    "mmseqs": ("mmseqs", f"python3 fasta.py s.fa {AMINO} 200 300", "mmseqs easy-cluster s.fa o tmp --threads 2"),
}


def share_of(reports):
    """Percent of the work that has a name, over the processes of a case; seconds of work; and where most of the rest is."""
    work = named = 0
    rest = {}
    for report in reports:
        for source in report["sources"]:
            seconds = source["exec_seconds"]
            work += seconds
            if source.get("function"):
                named += seconds
            else:
                where = Path(source.get("module") or "code made at run time").name
                rest[where] = rest.get(where, 0) + seconds
    return (100 * named / work if work else 0), work, max(rest, key=rest.get) if rest else ""


def record(einkorn, folder, words, env):
    for old in folder.glob("*.grain"):
        old.unlink()
    done = subprocess.run([einkorn, "record", "-o", folder / "r.grain", "--", *words], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout)[-600:])
    for file in sorted(folder.glob("*.grain")):
        yield json.loads(subprocess.run([einkorn, "report", "--json", file], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("python")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--keep", type=Path, help="put the recordings there")
    a = parser.parse_args()
    einkorn = (a.build / "bin" / "einkorn").absolute()
    env = {**os.environ, "OMP_NUM_THREADS": "2", "CP2K_DATA_DIR": "/usr/share/cp2k", "OMPI_ALLOW_RUN_AS_ROOT": "1",
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "MPLCONFIGDIR": "/tmp"}
    small, measured = [], 0
    for name in [n for n in [*WHEELS, *PROGRAMS] if not a.names or n in a.names]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "fasta.py").write_text(FASTA)
            try:
                if name in WHEELS:
                    needed, code = WHEELS[name]
                    (folder / f"case_{name.replace('-', '_')}.py").write_text(code)
                    words = [a.python, f"case_{name.replace('-', '_')}.py"]
                    find = f"import importlib.util as u, sys; sys.exit(u.find_spec({needed.partition('.')[0]!r}) is None or u.find_spec({needed!r}) is None)"
                    there = subprocess.run([a.python, "-c", find], stderr=subprocess.DEVNULL).returncode == 0
                else:
                    needed, make, line = PROGRAMS[name]
                    words = line.split()
                    there = shutil.which(needed) is not None
                    if there:
                        done = subprocess.run(["bash", "-c", make], cwd=folder, env=env, capture_output=True, text=True, timeout=200)
                        if done.returncode:
                            raise RuntimeError(done.stderr[-600:])
                if not there:
                    print(f"{name:16} {needed} is not here", flush=True)
                    continue
                share, work, rest = share_of(record(einkorn, folder, words, env))
            except (RuntimeError, subprocess.TimeoutExpired) as wrong:
                print(f"{name:16} failed: {wrong}", flush=True)
                small.append(name)
                continue
            finally:
                if a.keep:
                    for file in folder.glob("*.grain"):
                        shutil.copy(file, a.keep / f"{name}-{file.name}")
            measured += work > 0
            if work and share < a.least:
                small.append(name)
            shown = f"{share:5.1f} % of {work:6.2f} s" if work else "no work in OpenMP"
            print(f"{name:16} {shown}" + (f", most of the rest in {rest}" if rest else ""), flush=True)
    if a.least and (small or not measured):
        sys.exit(f"less than {a.least:g} %: {', '.join(small) or 'nothing was measured'}")


if __name__ == "__main__":
    main()

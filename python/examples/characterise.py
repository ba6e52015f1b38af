#!/usr/bin/env python3
# %% [markdown]
# # Which programs are alike?
#
# After A. Muddukrishna's characterisation of the BOTS programs (thesis, 4.5.2): each program with each input is a row
# of properties of its tasks; rows are made comparable (autoscaling), reduced to the few directions in which they
# differ most (principal components that cover 85 % of the variance), and clustered (Ward's method on Euclidean
# distances of the autoscaled scores). At the end each row is left out once, to see what the result hangs on.
#
# A suite is well chosen when its programs lie far apart; a program whose inputs lie close together needs only its
# smallest one.
#
# The cells (`# %%`) run one after the other, in an editor that knows them or as a script:
#
#     python python/examples/characterise.py --programs build/programs --einkorn build/bin/einkorn
#
# What differs from the thesis: it had instruction and memory-operation counts of a binary instrumentation, in one
# thread; a recording has times. So execution time stands for the number of instructions, creation cost and
# parallelism are new. Memory reads and writes, those of the stack and the footprint are there with `--accesses`, a folder
# with the same programs compiled with `-fsanitize=thread`: one more run each, in parallel, counts them. Without it,
# footprints are there only for programs that say what their tasks touch; a property that any row lacks is left out, and
# said so.

# %%
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

import einkorn

parser = argparse.ArgumentParser(description="Which programs are alike? See the text in this file.")
parser.add_argument("--programs", type=Path, default=Path("build/programs"), help="folder with NAME-gcc of programs/")
parser.add_argument("--einkorn", type=Path, default=Path("build/bin/einkorn"), help="the tool")
parser.add_argument("--accesses", type=Path, help="folder with the same programs compiled with -fsanitize=thread")
parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the recorded runs")
parser.add_argument("--trials", type=int, default=3, help="runs of each program and input; medians are taken")
parser.add_argument(
    "--inputs", type=Path, help="JSON: {name: [program, [[arguments of an input], ...]]} instead of the built-in list"
)
parser.add_argument(
    "--log", action="store_true", help="take logarithms of the properties first: their ranges span decades"
)
parser.add_argument("--cover", type=float, default=0.85, help="part of the variance that the components must cover")
parser.add_argument("--clusters", type=int, default=4, help="where the dendrogram is cut")
parser.add_argument(
    "--interval", default="median", help="of instantaneous parallelism: median, shortest, gap, a number of ns; all: each of the three"
)
parser.add_argument(
    "--flavour", choices=("optimistic", "conservative"), default="optimistic", help="of instantaneous parallelism: what overlaps"
    " an interval counts, or what fills it"
)
parser.add_argument(
    "--threshold", action="append", default=[], metavar="METRIC=VALUE", help="where a problem begins, instead of the default; may be"
    " given several times"
)
parser.add_argument(
    "--sensitivity", nargs="?", const=True, metavar="FILE", help="first the sensitivity of the programs to their inputs: the built-in"
    " list, or JSON {name: [program, {class: [[arguments of an input], ...]}]}"
)
parser.add_argument("--json", type=Path, help="write properties, scores, clusters and sensitivities there")
options = parser.parse_args()

# %% [markdown]
# ## Programs and inputs
#
# Three inputs each, of growing size, where the size is what the thesis calls DATA SIZE; cut-offs stay as they are.

# %%
PROGRAMS = {
    "fib": ["fib-gcc", [["--size", n, "--cutoff", "10"] for n in ("22", "25", "28")]],
    "nqueens": ["nqueens-gcc", [["--size", n] for n in ("9", "10", "11")]],
    "sort": ["sort-gcc", [["--size", n] for n in ("200000", "800000", "2000000")]],
    "sparselu": ["sparselu-gcc", [["--size", n, "--block", "32"] for n in ("10", "16", "24")]],
    "strassen": ["strassen-gcc", [["--size", n] for n in ("256", "512", "1024")]],
    "health": ["health-gcc", [["--size", n] for n in ("3", "4", "5")]],
    "fft": ["fft-gcc", [["--size", n] for n in ("14", "16", "18")]],
    "alignment": ["alignment-gcc", [["--size", n] for n in ("20", "30", "40")]],
    "floorplan": ["floorplan-gcc", [["--size", n] for n in ("6", "7", "8")]],
    "uts": ["uts-gcc", [["--q", "0.12", "--size", n] for n in ("500", "1000", "2000")]],
}
if options.inputs:
    PROGRAMS = json.loads(options.inputs.read_text())

# One class of inputs at a time (thesis, 4.5.2): the others stay as they are. GRAIN SIZE is the size at which a problem is not
# divided further, DEPTH how far down the tree tasks are made.
SENSITIVITY = {
    "fib": ["fib-gcc", {"DATA SIZE": PROGRAMS["fib"][1] if "fib" in PROGRAMS else [],
                        "DEPTH": [["--size", "25", "--cutoff", n] for n in ("6", "10", "14")]}],
    "nqueens": ["nqueens-gcc", {"DATA SIZE": [["--size", n] for n in ("9", "10", "11")],
                                "DEPTH": [["--size", "10", "--cutoff", n] for n in ("2", "3", "5")]}],
    "sort": ["sort-gcc", {"DATA SIZE": [["--size", n] for n in ("200000", "800000", "2000000")],
                          "GRAIN SIZE": [["--size", "800000", "--cutoff", n, "--merge-cutoff", n] for n in ("512", "2048", "8192")]}],
    "sparselu": ["sparselu-gcc", {"DATA SIZE": [["--size", n, "--block", "32"] for n in ("10", "16", "24")],
                                  "GRAIN SIZE": [["--size", s, "--block", b] for s, b in (("32", "16"), ("16", "32"), ("8", "64"))]}],
    "strassen": ["strassen-gcc", {"DATA SIZE": [["--size", n] for n in ("256", "512", "1024")],
                                  "GRAIN SIZE": [["--size", "512", "--leaf", n] for n in ("32", "64", "128")]}],
    "health": ["health-gcc", {"DATA SIZE": [["--size", n] for n in ("3", "4", "5")],
                              "DEPTH": [["--size", "5", "--cutoff", n] for n in ("1", "2", "3")]}],
    "fft": ["fft-gcc", {"DATA SIZE": [["--size", n] for n in ("14", "16", "18")],
                        "GRAIN SIZE": [["--size", "16", "--cutoff", n] for n in ("64", "256", "1024")]}],
    "floorplan": ["floorplan-gcc", {"DATA SIZE": [["--size", n] for n in ("6", "7", "8")],
                                    "DEPTH": [["--size", "7", "--cutoff", n] for n in ("2", "4", "6")]}],
    "uts": ["uts-gcc", {"DATA SIZE": [["--q", "0.12", "--size", n] for n in ("500", "1000", "2000")],
                        "DEPTH": [["--q", "0.12", "--size", "1000", "--cutoff", n] for n in ("2", "4", "8")]}],
}
if options.sensitivity and options.sensitivity is not True:
    SENSITIVITY = json.loads(Path(options.sensitivity).read_text())
INTERVALS = ["median", "shortest", "gap"] if options.interval == "all" else [options.interval]
THRESHOLDS = {}
for word in options.threshold:
    key, equals, value = word.partition("=")
    known = [m["key"] for m in einkorn.metrics_table()]
    try:
        THRESHOLDS[key] = float(value)
    except ValueError:
        equals = ""
    if not equals or key not in known:
        parser.error(f"--threshold {word}: METRIC=VALUE, such as parallel_benefit=2; metrics are {', '.join(known)}")
for word in INTERVALS:
    if word not in ("median", "shortest", "gap") and not (word.isdigit() and int(word) > 0):
        parser.error(f"--interval {word}: median, shortest, gap, all, or a number of ns")

# %% [markdown]
# ## Properties
#
# Of the tasks alone, as in the thesis; medians where there is one value a task. A recording taken where threads were
# off their CPUs for more than 5 % of the time has no times worth taking: the run is repeated.


# %%
def properties(r):
    """One recording -> its properties by name; None where it does not have one."""
    g = r.grains
    tasks = g["kind"] == einkorn.TASK
    executed = tasks & (g["fragments"] > 0)
    exec_ns = g["exec"][executed].astype(float)
    created = g["create_cost"][tasks & (g["create_cost"] >= 0)]
    parents = g["parent"][tasks]
    joined = np.unique(parents, return_counts=True)[1]
    told = g["footprint"][executed]
    told = told[told != einkorn.NONE]
    return {
        "number of tasks": float(tasks.sum()),
        "execution": float(np.median(exec_ns)),
        "creation": float(np.median(created)) if len(created) else None,
        "join degree": float(np.median(joined)),
        # What the program does outside regions is on every path through it: told by "sequential work" alone.
        "critical path": float(r.critical_path_ns - g["exec"][0]),
        "parallelism": float(g["exec"][1:].sum() / max(1, r.critical_path_ns - g["exec"][0])),
        "sequential work": float(g["exec"][0]),
        "footprint": float(np.median(r.footprints["bytes"][told])) if len(told) else None,
    }


def memory(program, arguments, folder):
    """What its tasks do to memory, from a run that counts that; None where there is no such program. Counts, not times:
    one run."""
    none = dict.fromkeys(("memory reads", "memory writes", "stack reads", "stack writes", "memory footprint"))
    if options.accesses is None:
        return none
    file = folder / "accesses.grain"
    done = subprocess.run(
        [options.einkorn, "record", "--accesses", "--no-report", "-o", file, "--", options.accesses / program, *arguments],
        env={**os.environ, "OMP_NUM_THREADS": str(options.threads)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{program} {' '.join(arguments)}: {done.stdout}{done.stderr}")
    r = einkorn.load(file, graph=False, source_lines=False)
    executed = (r.grains["kind"] == einkorn.TASK) & (r.grains["fragments"] > 0)
    if not r.accesses or not executed.any():
        return none
    of_tasks = {name: float(np.median(values[executed])) for name, values in r.accesses.items()}
    return {
        "memory reads": of_tasks["loads"],
        "memory writes": of_tasks["stores"],
        "stack reads": of_tasks["stack_loads"],
        "stack writes": of_tasks["stack_stores"],
        "memory footprint": 64 * of_tasks["lines"],
    }


PROBLEMS = ("parallel_benefit", "parallelism_" + options.flavour)


def affected(r):
    """Instantaneous parallelism by the wanted intervals, and the share of the grains that have a problem, in per cent."""
    executed = (r.grains["kind"] != einkorn.INITIAL) & (r.grains["kind"] != einkorn.IMPLICIT) & (r.grains["fragments"] > 0)
    found = {}
    for word in INTERVALS:
        m = r.metrics(interval=int(word) if word.isdigit() else word, thresholds=THRESHOLDS)
        values = m.grains[PROBLEMS[1]][executed]
        values = values[~np.isnan(values)]
        which = f" ({word})" if len(INTERVALS) > 1 else ""
        found[f"instantaneous parallelism{which}"] = float(np.median(values)) if len(values) else None
        for key in PROBLEMS if word == INTERVALS[0] else PROBLEMS[1:]:
            known = executed & ~np.isnan(m.grains[key])
            share = 100 * float(m.problems(key)[known].mean()) if known.any() else None
            found[f"% {key}{which if key == PROBLEMS[1] else ''}"] = share
    return found


ATTEMPTS = 20  # at a run whose times are valid: other work has the CPUs now and then


def record(program, arguments, folder, what=properties):
    """The medians over several runs, by property."""
    trials = []
    for attempt in range(ATTEMPTS * options.trials):
        file = folder / "run.grain"
        done = subprocess.run(
            [options.einkorn, "record", "--no-report", "-o", file, "--", options.programs / program, *arguments],
            env={**os.environ, "OMP_NUM_THREADS": str(options.threads)},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{program} {' '.join(arguments)}: {done.stdout}{done.stderr}")
        r = einkorn.load(file, source_lines=False)
        if r.times_valid:
            trials.append(what(r))
        if len(trials) == options.trials:
            break
        if not r.times_valid:
            time.sleep(min(1, attempt * 0.05))  # what keeps the machine busy may pass
    if not trials:
        sys.exit(f"{program}: this machine is too busy: its threads were off the CPU in every run")
    return {
        name: None if any(t[name] is None for t in trials) else float(np.median([t[name] for t in trials]))
        for name in trials[0]
    }


# %% [markdown]
# ## Sensitivity
#
# Before programs are compared: what changes in one of them with its inputs? One class of inputs grows, the others stay; medians
# of several runs. The last line of a class says by how much each property has changed from its first input to its last. With them the
# share of the grains with a problem: tasks that cost more than they do, and times when less runs than there are threads.


# %%
def sensitivity(folder):
    """{name: {class: [{"arguments", "values"}, ...]}}, printed as tables."""
    found = {}
    for name, (program, classes) in SENSITIVITY.items():
        for kind, inputs in classes.items():
            if not inputs:
                continue
            runs = [
                {"arguments": a, "values": record(program, a, folder, lambda r: properties(r) | affected(r))} for a in inputs
            ]
            found.setdefault(name, {})[kind] = runs
            shown = [n for n in runs[0]["values"] if all(run["values"][n] is not None for run in runs)]
            print(f"\n{name}, {kind}")
            width = max([len(n) for n in shown] + [12])
            print(f"  {'':{width}}" + "".join(f"{' '.join(run['arguments']):>36}" for run in runs) + f"{'last / first':>16}")
            for n in shown:
                values = [run["values"][n] for run in runs]
                change = f"{values[-1] / values[0]:16.3g}" if values[0] else f"{'-':>16}"
                print(f"  {n:{width}}" + "".join(f"{v:36.6g}" for v in values) + change)
    return found


sensitivities = {}
if options.sensitivity:
    with tempfile.TemporaryDirectory() as folder:
        sensitivities = sensitivity(Path(folder))

# %% [markdown]
# ## Recordings

# %%
rows, data = [], []
with tempfile.TemporaryDirectory() as folder:
    for name, (program, inputs) in PROGRAMS.items():
        for number, arguments in enumerate(inputs, 1):
            rows.append(f"{name}-{number}")
            data.append(record(program, arguments, Path(folder)) | memory(program, arguments, Path(folder)))
            print(f"recorded {rows[-1]}: {program} {' '.join(arguments)}", file=sys.stderr)

names = [n for n in data[0] if all(row[n] is not None for row in data)]
missing = [n for n in data[0] if n not in names]
table = np.array([[row[n] for n in names] for row in data])
print(
    f"{len(rows)} rows (program-input), {len(names)} properties"
    + (f"; not all have: {', '.join(missing)}" if missing else "")
)
print(f"{'':16}" + "".join(f"{n:>17}" for n in names))
for row, values in zip(rows, table):
    print(f"{row:16}" + "".join(f"{v:17.6g}" for v in values))

# %% [markdown]
# ## Autoscaling
#
# Each property to mean 0 and variance 1: none counts more for having larger numbers. A property in which no rows
# differ says nothing and goes.


# %%
def autoscale(x):
    spread = x.std(axis=0, ddof=1)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)


if options.log:
    table = np.log10(1 + table)
differs = table.std(axis=0) > 0
names = [n for n, d in zip(names, differs) if d]
x = autoscale(table[:, differs])

# %% [markdown]
# ## Principal components
#
# As many as cover the wanted part of the variance. Loadings say what a component means: in the thesis the first one
# was fine grains (many tasks, little execution each).


# %%
def components(x):
    """The principal components that cover enough, and all shares of the variance."""
    whole = PCA().fit(x)
    covered = np.cumsum(whole.explained_variance_ratio_)
    wanted = min(int(np.searchsorted(covered, options.cover)) + 1, len(covered))
    return PCA(n_components=wanted).fit(x), covered


pca, covered = components(x)
wanted = pca.n_components_
print(
    f"\n{wanted} components cover {100 * covered[wanted - 1]:.1f} % of the variance"
    f" (asked for: {100 * options.cover:.0f} %)"
)
for i, (part, loadings) in enumerate(zip(pca.explained_variance_ratio_, pca.components_), 1):
    order = np.argsort(-abs(loadings))[:4]
    print(f"  PC{i} {100 * part:5.1f} %  " + ", ".join(f"{loadings[j]:+.2f} {names[j]}" for j in order))

# %% [markdown]
# ## Clusters
#
# Ward's method on the autoscaled scores: at each step the two clusters are joined whose joining adds least to the
# variance inside clusters.


# %%
def cluster(x, pca):
    scores = autoscale(pca.transform(x))
    tree = linkage(scores, method="ward", metric="euclidean")
    return scores, tree, fcluster(tree, min(options.clusters, len(x)), criterion="maxclust")


def draw(tree, labels):
    """The dendrogram as text, the distance of each joining before what it joins."""

    def node(i, indent):
        if i < len(labels):
            print(f"{indent}{labels[i]}")
            return
        left, right, distance, _ = tree[i - len(labels)]
        print(f"{indent}{distance:.2f}")
        node(int(left), indent + "  ")
        node(int(right), indent + "  ")

    node(2 * len(labels) - 2, "  ")


scores, tree, clusters = cluster(x, pca)
print("\nDendrogram")
draw(tree, rows)
print(f"\nCut into {clusters.max()} clusters")
for c in range(1, clusters.max() + 1):
    print(f"  {c}: {', '.join(r for r, k in zip(rows, clusters) if k == c)}")

# %% [markdown]
# ## Leave one out
#
# How many components are there really? For each number of components, every row is left out once and each of its
# values predicted from its other values and the components of the other rows; the number with the least error is the
# one that the data supports. And do the clusters hang on single rows? With each row left out the others are clustered
# again; the adjusted Rand index says how much of the clustering stays (1: all of it).


# %%
def prediction_error(x, k):
    """Mean squared error of values predicted by k components that were found without their row: the expected value
    under probabilistic PCA, which trusts weak components less (plain least squares is at the mercy of two properties
    that say the same).
    """
    error = 0.0
    for i in range(len(x)):
        others = np.delete(x, i, axis=0)
        mean = others.mean(axis=0)
        row = x[i] - mean
        whole = PCA().fit(others)
        basis, variance = whole.components_[:k].T, whole.explained_variance_[:k]
        noise = max(whole.explained_variance_[k:].sum() / max(1, x.shape[1] - k), 1e-9)
        for j in range(x.shape[1]):
            rest = np.arange(x.shape[1]) != j
            seen = basis[rest]
            score = (
                np.linalg.solve(seen.T @ seen + noise * np.diag(1 / variance), seen.T @ row[rest]) if k else np.zeros(0)
            )
            error += (row[j] - basis[j] @ score) ** 2
    return error / x.size


most = min(x.shape[1] - 1, len(x) - 2)
errors = [prediction_error(x, k) for k in range(most + 1)]
best = int(np.argmin(errors))
print("\nLeave one out")
print("  error by components: " + ", ".join(f"{k}: {e:.2f}" for k, e in enumerate(errors)))
print(f"  the least with {best}; {wanted} cover the variance that was asked for")
stable = []
for i in range(len(x)):
    others = np.delete(table[:, differs], i, axis=0)
    y = autoscale(others)
    stable.append(adjusted_rand_score(np.delete(clusters, i), cluster(y, components(y)[0])[2]))
print(
    f"  clusters without one row: adjusted Rand index {np.median(stable):.2f} (median),"
    f" {min(stable):.2f} without {rows[int(np.argmin(stable))]}"
)

if options.json:
    options.json.write_text(
        json.dumps(
            {
                "rows": rows,
                "properties": names,
                "scaled": x.tolist(),
                "components": int(wanted),
                "covered": float(covered[wanted - 1]),
                "scores": scores.tolist(),
                "clusters": clusters.tolist(),
                "errors": errors,
                "rand": stable,
                "sensitivity": sensitivities,
            },
            indent=1,
        )
    )

"""python/examples/characterise.py on a few small inputs: it runs to its end, and what it says holds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from harness import BUILD, EINKORN, CliTest, ahead_of_others, environment, main

STUDY = Path(__file__).resolve().parents[2] / "python" / "examples" / "characterise.py"
INPUTS = {
    "fib": ["fib-gcc", [["--size", "18", "--cutoff", "8"], ["--size", "20", "--cutoff", "8"]]],
    "sort": ["sort-gcc", [["--size", "100000"], ["--size", "200000"]]],
    "strassen": ["strassen-gcc", [["--size", "128"], ["--size", "256"]]],
    "sparselu": ["sparselu-gcc", [["--size", "8", "--block", "16"], ["--size", "10", "--block", "16"]]],
}


# Two classes of inputs, of which what changes is known: fib makes two tasks a call down to the cut-off.
SENSITIVITY = {
    "fib": [
        "fib-gcc",
        {
            "DATA SIZE": [["--size", "18", "--cutoff", "5"], ["--size", "24", "--cutoff", "5"]],
            "DEPTH": [["--size", "20", "--cutoff", "4"], ["--size", "20", "--cutoff", "6"]],
        },
    ]
}


class Study(CliTest):
    def test_from_recordings_to_clusters(self):
        (self.folder / "inputs.json").write_text(json.dumps(INPUTS))
        (self.folder / "sensitivity.json").write_text(json.dumps(SENSITIVITY))
        done = subprocess.run(
            [
                sys.executable,
                STUDY,
                "--programs",
                BUILD / "programs",
                "--einkorn",
                EINKORN,
                "--threads",
                "2",
                "--trials",
                "1",
                "--inputs",
                "inputs.json",
                "--json",
                "out.json",
                "--sensitivity",
                "sensitivity.json",
                "--interval",
                "all",
                "--threshold",
                "parallelism_optimistic=1.5",
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env=environment({"PYTHONPATH": os.environ["PYTHONPATH"]}),
            preexec_fn=ahead_of_others,
            timeout=250,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(out["rows"], [f"{name}-{i}" for name in INPUTS for i in (1, 2)])
        x = np.array(out["scaled"])
        self.assertTrue(np.allclose(x.mean(axis=0), 0) and np.allclose(x.std(axis=0, ddof=1), 1))
        # As many components as cover 85 %, and no more: by numpy's own decomposition.
        shares = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
        covered = np.cumsum(shares) / shares.sum()
        self.assertEqual(out["components"], int(np.searchsorted(covered, 0.85)) + 1)
        self.assertAlmostEqual(out["covered"], covered[out["components"] - 1])
        self.assertEqual(np.array(out["scores"]).shape, (8, out["components"]))
        self.assertEqual(set(out["clusters"]), set(range(1, max(out["clusters"]) + 1)))
        # Without components the prediction is the mean: an error of about 1; components that were found help.
        self.assertGreater(out["errors"][0], 0.8)
        self.assertTrue(all(np.isfinite(out["errors"])))
        self.assertEqual(len(out["rand"]), 8)
        fib = out["sensitivity"]["fib"]
        tasks = {kind: [run["values"]["number of tasks"] for run in runs] for kind, runs in fib.items()}
        self.assertEqual(tasks["DATA SIZE"][0], tasks["DATA SIZE"][1])  # the tree is cut at the same depth
        self.assertEqual(tasks["DEPTH"], [2**5 - 2, 2**7 - 2])
        self.assertEqual(tasks["DATA SIZE"], [2**6 - 2] * 2)
        for run in fib["DATA SIZE"] + fib["DEPTH"]:
            for interval in ("median", "shortest", "gap"):
                self.assertGreaterEqual(run["values"][f"instantaneous parallelism ({interval})"], 1)
                share = run["values"][f"% parallelism_optimistic ({interval})"]
                self.assertTrue(0 <= share <= 100, share)
        self.assertGreater(fib["DATA SIZE"][1]["values"]["execution"], fib["DATA SIZE"][0]["values"]["execution"])
        for word in ["Dendrogram", "PC1", "fib-1", "Leave one out", "fib, DEPTH", "last / first"]:
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    main()

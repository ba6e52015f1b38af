#!/usr/bin/env python3
"""What an interrupted run leaves behind, the order of runs, and that the check of generated programs finds errors."""
import argparse
import pathlib
import tempfile
import unittest

import run
import valid
from results import Results


class TestResults(unittest.TestCase):
    def test_goes_on_behind_a_torn_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results"
            first = Results(path)
            first.add("a-gcc", "ours X=1", "gcc", "ours", 400, [("hang", "it hangs")])
            path.write_text(path.read_text() + '{"executable": "a-g')
            second = Results(path)
            self.assertTrue(second.has("a-gcc", "ours X=1"))
            self.assertFalse(second.has("a-gcc", "ours X=2"))
            second.add("a-gcc", "libgomp", "gcc", "libgomp", 300, [("wrong", "a peer"), ("slow", "two seconds")])
            third = Results(path)
            self.assertEqual(third.count(lambda one: one["library"]), {"ours": 400, "libgomp": 300})
            self.assertEqual(third.findings(True), ["it hangs"])
            self.assertEqual(third.findings(False), ["a peer"])
            self.assertEqual(third.slow(), {"libgomp": 1})

    def test_order(self):
        options = argparse.Namespace(full=True, only=None, schedule=None, ours=False)
        files = [(pathlib.Path(f"{first}-{compiler}"), {"first": first, "compiler": compiler})
                 for first in (0, 100, 200) for compiler in ("gcc", "clang")]
        order = list(run.in_turn(options, files))
        self.assertEqual(len({path for path, _, _ in order[:len(files)]}), len(files))
        self.assertEqual(len({(path, str(c)) for path, _, c in order}), len(order))
        self.assertEqual(len(order), sum(len(run.plan(options, path, known)) for path, known in files))


class TestValid(unittest.TestCase):
    def complaints(self, *lines):
        return [text for text in (valid.complaint(*one) for one in valid.directives("\n".join(lines))) if text]

    def test_reduction_of_a_copy(self):
        lines = ["#pragma omp taskgroup task_reduction(+: g)", "{", "#pragma omp task detach(e)", "{",
                 "#pragma omp task in_reduction(+: g)", "g += 1;", "}", "}"]
        self.assertEqual(len(self.complaints(*lines)), 1)
        self.assertEqual(self.complaints(*[line.replace("detach(e)", "in_reduction(+: g)") for line in lines]), [])

    def test_places(self):
        self.assertEqual(len(self.complaints("#pragma omp task final(one)", "{", "#pragma omp task detach(e)", "f(e);", "}")), 1)
        self.assertEqual(len(self.complaints("#pragma omp parallel", "{", "#pragma omp task", "{", "#pragma omp barrier", "}", "}")), 1)
        self.assertEqual(self.complaints("#pragma omp parallel", "{", "#pragma omp barrier", "#pragma omp for", "for (;;)", "{",
                                         "#pragma omp task", "f();", "}", "}"), [])
        self.assertEqual(len(self.complaints("#pragma omp parallel for", "for (;;) {", "#pragma omp ordered", "f();", "}")), 1)
        self.assertEqual(len(self.complaints("#pragma omp task", "{", "#pragma omp cancel for", "}")), 1)


if __name__ == "__main__":
    unittest.main()

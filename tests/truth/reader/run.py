"""A second reader of grain files, in Python, from docs/grain-file.md and docs/metrics.md alone: all that it computes from
recordings of both compilers, with one thread and with two, must equal what `einkorn report` says. That is arithmetic: it
holds on a busy machine, too."""
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import compare  # noqa: E402
import known    # noqa: E402

# Programs of this repository's programs/, as built: each has something that the others lack.
FIELD = {
    "fib": ["--size", "14"],                                             # tasks so fine that they share stamps
    "sparselu": ["--size", "6", "--block", "20", "--version", "depend"],
    "heat": ["--size", "256", "--steps", "8", "--schedule", "guided"],
    "fft-untied": ["--size", "16"],
}
OWN = ["constructs", "excluding", "undeferred", "codelets", "procedures", "by_hand"]


class Reader(unittest.TestCase):
    def compared(self, recording):
        with self.subTest(recording=recording.file.name):
            comparison = compare.Comparison(recording.file)
            wrong = comparison.all()
            self.assertEqual(wrong[:20], [], f"{len(wrong)} of {comparison.compared} figures differ")
            self.assertGreater(comparison.compared, 100)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="einkorn-reader-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_of_both_compilers(self):
        for compiler in known.COMPILERS:
            programs = [(known.build(name, compiler, self.folder), []) for name in OWN]
            programs += [(known.BUILD / "programs" / f"{name}-{compiler}", words) for name, words in FIELD.items()]
            for program, words in programs:
                for threads in (1, 2):
                    self.compared(known.Recording(program, threads, words=words, folder=self.folder))

    def test_inflation(self):
        """Compared with a recording on one thread, which needs valid times: kept ones."""
        for compiler in known.COMPILERS:
            one, two = (known.Kept("deferrable", compiler, threads, (), self.folder) for threads in (1, 2))
            self.assertEqual(compare.Comparison(two.file).against(compare.Comparison(one.file)), [], one.program)


if __name__ == "__main__":
    unittest.main()

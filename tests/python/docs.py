"""The examples of docs/python.md run, one after the other, and print something."""

import contextlib
import io
import os
import re
from pathlib import Path

from harness import main
from recordings import PythonTest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Docs(PythonTest):
    def test_examples(self):
        blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
        self.assertGreater(len(blocks), 4)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.recordings)
        names = {}
        for block in blocks:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block, str(PAGE), "exec"), names)
            self.assertTrue(out.getvalue().strip(), block)


if __name__ == "__main__":
    main()

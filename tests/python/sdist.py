"""The Python package as its users get it: an sdist, carried elsewhere, built and installed by pip in a clean environment."""
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

from harness import CliTest, TASKS, environment, main

SOURCE = Path(os.environ["EINKORN_SOURCE"])
WHEELS = SOURCE / "build" / "wheels"  # made by ./dev test

# Where it came from, and what it reads.
USE = r"""
import json, sys
import einkorn
r = einkorn.load(sys.argv[1])
print(json.dumps({"file": einkorn.__file__, "tasks": r.tasks, "grains": int((r.grains["kind"] == einkorn.TASK).sum())}))
"""


class Sdist(CliTest):
    def command(self, *words, cwd):
        env = {k: v for k, v in environment().items() if k not in ("PYTHONPATH", "CMAKE_C_COMPILER_LAUNCHER")}
        done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_from_an_sdist(self):
        self.assertTrue(list(WHEELS.glob("numpy-*.whl")), f"{WHEELS} is missing: ./dev test makes it")
        made, place = self.folder / "made here", self.folder / "another place"
        place.mkdir()
        # What `python -m build --sdist` and pip call.
        self.command(sys.executable, "-c", "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])", made,
                     cwd=SOURCE / "python")
        [archive] = made.iterdir()
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                self.assertTrue(member.isfile() or member.isdir(), member.name)
                self.assertNotIn("..", Path(member.name).parts)
        archive = archive.rename(place / archive.name)
        self.command(sys.executable, "-m", "venv", "--without-pip", "clean", cwd=place)
        python = place / "clean" / "bin" / "python"
        self.command(sys.executable, "-m", "pip", "--python", python, "install", "--disable-pip-version-check", "--no-cache-dir",
                     "--no-index", "--find-links", WHEELS, "--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0", archive, cwd=place)
        app = self.compile(TASKS, "-g")
        self.assertEqual(self.einkorn("record", "--no-report", "-o", "r.grain", "--", app).returncode, 0)
        used = json.loads(self.command(python, "-I", "-c", USE, self.folder / "r.grain", cwd=place))
        self.assertTrue(Path(used["file"]).is_relative_to(place / "clean"), used)
        self.assertEqual((used["tasks"], used["grains"]), (100, 100))


if __name__ == "__main__":
    main()

"""C++ is formatted as .clang-format says: format.py SOURCE [--write]. clang-format 19, as others differ."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDERS = ("include", "src", "tests/unit", "tests/golden", "tests/viewer", "bench")
TOOL = "clang-format-19"


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".hpp", ".cpp") and "node_modules" not in path.parts:
                yield path


def main():
    root = Path(sys.argv[1])
    how = ["-i"] if "--write" in sys.argv else ["--dry-run", "--Werror", "--ferror-limit=1"]

    def check(path):
        try:
            return path, subprocess.run([TOOL, *how, str(path)], capture_output=True, text=True)
        except FileNotFoundError:
            sys.exit(f"{TOOL} is missing: install the package of that name")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = [path for path, done in pool.map(check, files(root)) if done.returncode]
    for path in bad:
        print(f"{path.relative_to(root)}: not formatted; python3 tests/house/format.py . --write does it")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

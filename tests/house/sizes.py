"""No file of ours has more than 500 lines: sizes.py SOURCE. What passes them is split by idea, not trimmed."""
import sys
from pathlib import Path

MOST = 500
# Folder -> endings of what is written by hand in it.
FOLDERS = {
    "src": {".h", ".cpp", ".c", ".def"},
    "include": {".h", ".hpp"},
    "viewer/src": {".ts", ".tsx", ".css"},
    "tests": {".h", ".cpp", ".c", ".py", ".mjs"},
    "bench": {".h", ".cpp", ".c", ".py"},
}


def files(root):
    for folder, endings in FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in endings and path.is_file() and "node_modules" not in path.parts:
                yield path


def main():
    root = Path(sys.argv[1])
    lines = {path: len(path.read_text(errors="replace").splitlines()) for path in files(root)}
    bad = [f"{path.relative_to(root)} has {n} lines, more than {MOST}: split it by idea" for path, n in lines.items() if n > MOST]
    if len(lines) < 500:
        bad.append(f"only {len(lines)} files under {root}")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

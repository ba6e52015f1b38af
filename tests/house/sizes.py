"""No file of ours has more than 700 lines, of src/abi 200, as it translates and does no more: sizes.py SOURCE. What passes
them is split by idea, not trimmed."""
import sys
from pathlib import Path

MOST = 700
MOST_IN = {"src/abi": 200}
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


def most(path):
    return MOST_IN.get(path.parent.as_posix(), MOST)


def main():
    root = Path(sys.argv[1])
    lines = {path.relative_to(root): len(path.read_text(errors="replace").splitlines()) for path in files(root)}
    bad = [f"{path} has {n} lines, more than {most(path)}: split it by idea" for path, n in lines.items() if n > most(path)]
    bad += [f"{folder}: no such folder" for folder in MOST_IN if not (root / folder).is_dir()]
    if len(lines) < MOST:
        bad.append(f"only {len(lines)} files under {root}")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

"""What .clang-tidy asks of the library under the program: tidy.py SOURCE BUILD. clang-tidy 19, as others differ.

Most of its time goes into headers, so the files of a few rooms are read as one. Those whose names are others' there, too, are
read in a second go, and so on. Rooms that were clean are not read again before one of their files, or a header, changes.
"""
import hashlib
import re
import subprocess
import sys
from pathlib import Path

# Rooms that are read together. src/flow has little but headers, which runtime's files include.
ROOMS = (("base", "flow", "memory", "schedule", "accesses"), ("machine", "hints"), ("record",), ("runtime",), ("codelet", "abi"))
TIDY, CLANG = "clang-tidy-19", "clang++-19"
FLAGS = ["-std=gnu++20", "-DNDEBUG", '-DEINKORN_VERSION="0"', '-DEINKORN_GLIBC_NODE="GLIBC_2.2.5"']


def run(command, root):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=root)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is missing: install the package of that name")


def together(files, at, flags, root):
    """Splits files into lists that can be read as one file each, and writes that file each time."""
    while files:
        at.write_text("".join(f'#include "{f.relative_to(root)}"\n' for f in files))
        done = run([CLANG, *flags, "-w", "-fsyntax-only", "-ferror-limit=0", str(at)], root)
        named = set(re.findall(r"^(.+?):\d+:\d+: (?:fatal )?error: ", done.stderr, re.MULTILINE))
        wrong = [f for f in files if {str(f), str(f.relative_to(root))} & named]
        if done.returncode and (not wrong or len(files) == 1):
            sys.exit(f"clang does not compile {', '.join(str(f.relative_to(root)) for f in files)}:\n{done.stderr}")
        right = [f for f in files if f not in wrong] or files[:1]
        if len(right) < len(files):
            at.write_text("".join(f'#include "{f.relative_to(root)}"\n' for f in right))
        yield
        files = [f for f in files if f not in right]


def stamp_of(root, files):
    seen = hashlib.sha256()
    for path in [root / ".clang-tidy", Path(__file__), *sorted((root / "src").rglob("*.h")), *sorted((root / "include").rglob("*.h")), *files]:
        seen.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return seen.hexdigest()


def main():
    root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    kept = build / "tidy"
    kept.mkdir(exist_ok=True)
    flags = [*FLAGS, f"-I{root}", f"-I{root}/src", f"-I{root}/include"]
    bad = False
    for rooms in ROOMS:
        files = sorted(f for room in rooms for f in (root / "src" / room).rglob("*.cpp"))
        stamp, one, now = kept / f"{rooms[0]}.clean", kept / f"{rooms[0]}.cpp", stamp_of(root, files)
        if stamp.exists() and stamp.read_text() == now:
            continue
        said = set()
        for _ in together(files, one, flags, root):
            done = run([TIDY, "--quiet", f"--config-file={root}/.clang-tidy", str(one), "--", *flags, "-w"], root)
            found = re.findall(r"^.+?:\d+:\d+: (?:warning|error): .*$", done.stdout, re.MULTILINE)
            if done.returncode and not found:
                sys.exit(f"clang-tidy: {done.stdout}{done.stderr}")
            said.update(line.replace(f"{root}/", "") for line in found)
        if not said:
            stamp.write_text(now)
        bad |= bool(said)
        for line in sorted(said):
            print(line)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

"""Which room of src/ may include which: arrows.py SOURCE. The table is that of docs/design.md."""
import re
import sys
from pathlib import Path

# (file, header): why it may all the same.
EXCEPTIONS = {
    ("src/cli/main.cpp", "runtime/settings/config.def"): "the names of the runtime's environment variables, of which there is one table",
    ("src/base/platform.h", "record/stream.h"): "debug builds give std::atomic another name from there on; the recorder's types come before",
}


def table(page):
    """Room -> rooms that it may include."""
    rows = re.findall(r"^\| `src/(\w+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    return {room: set(re.findall(r"\w+", may)) for room, may in rows}


def wrong(root):
    may = table((root / "docs" / "design.md").read_text())
    rooms = {folder.name for folder in (root / "src").iterdir() if folder.is_dir()}
    for room in sorted(rooms ^ may.keys()):
        yield f"src/{room}: " + ("not in the table of docs/design.md" if room in rooms else "in the table of docs/design.md, but not there")
    used = set()
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def"):
            continue
        name, room = str(path.relative_to(root)), path.relative_to(root).parts[1]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            header = re.match(r'\s*#\s*include\s+"(\w+)/', line)
            if not header or header[1] not in rooms or header[1] == room or header[1] in may.get(room, ()):
                continue
            included = line.split('"')[1]
            if (name, included) in EXCEPTIONS:
                used.add((name, included))
                continue
            yield f"{name}:{number}: src/{room} may not include {included}"
    for name, included in EXCEPTIONS.keys() - used:
        yield f"{name} does not include {included} any more: no exception is needed"


def main():
    found = list(wrong(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

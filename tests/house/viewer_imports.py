"""Imports among the files of viewer/src: viewer_imports.py SOURCE. Which room may import which is read from the table of
viewer/README.md. No circle, types included, and nothing is exported that no other file uses, tests apart."""
import re
import sys
from pathlib import Path

IMPORT = re.compile(r'^(?:import|export)\s+(?:type\s+)?([^;"]*?)\s*(?:from\s*)?"(\.[^"?]*)(?:\?[^"]*)?";', re.MULTILINE)
EXPORT = re.compile(r"^export (?:abstract |async |default )*(?:function|class|interface|type|enum|const enum|const|let) (\w+)", re.MULTILINE)


def table(page):
    """Room -> rooms that it may import. Files beside the rooms may import all."""
    rows = re.findall(r"^\| `src/([\w/]+)/` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    return {room: set(re.findall(r"[\w/]+", may)) for room, may in rows}


def imports(root):
    """File -> {file imported from: the names}."""
    files = {p.relative_to(root).as_posix(): p.read_text() for p in sorted(root.rglob("*.ts*"))}
    out = {}
    for name, text in files.items():
        out[name] = {}
        for names, spec in IMPORT.findall(text):
            target = (root / name).parent.joinpath(spec).resolve().relative_to(root.resolve()).as_posix()
            found = next((target + end for end in ("", ".ts", ".tsx") if target + end in files), None)
            if found:
                out[name].setdefault(found, set()).update(re.findall(r"\w+", names))
            elif not target.endswith(".css"):
                raise SystemExit(f"viewer/src/{name}: what is {spec}?")
    return files, out


def circles(of):
    """The shortest circle through each file that is in one, each circle once."""
    seen = set()
    for start in of:
        ways, reached = [[start]], {start}
        while ways:
            way = ways.pop(0)
            if start in of[way[-1]] and frozenset(way) not in seen:
                seen.add(frozenset(way))
                yield " -> ".join([*way, start])
                break
            for other in of[way[-1]]:
                if other not in reached:
                    reached.add(other)
                    ways.append([*way, other])


def room_of(name):
    return name.rpartition("/")[0]


def is_test(name):
    return name.endswith(".test.ts")


def wrong(root, may):
    files, of = imports(root)
    if len(files) < 20:
        yield f"{root} has {len(files)} files only"
    for circle in circles(of):
        yield f"circle: {circle}"
    rooms = {room_of(name) for name in files} - {""}
    for room in sorted(rooms ^ may.keys()):
        yield f"{room}/: " + ("not in the table of viewer/README.md" if room in rooms else "in the table of viewer/README.md, but not there")
    for name, others in of.items():
        room = room_of(name)
        allowed = may.get(room, set()) | {room} | ({"testing"} if is_test(name) else set())
        for other in others:
            if room and room_of(other) not in allowed:
                yield f"{name} may not import {other}"
    for name, text in files.items():
        users = [others for user, others in of.items() if room_of(name) == "testing" or not is_test(user) and room_of(user) != "testing"]
        for export in EXPORT.findall(text):
            if not any(export in others.get(name, ()) for others in users):
                yield f"{name} exports {export}, which no other file imports"


def main():
    source = Path(sys.argv[1])
    may = table((source / "viewer" / "README.md").read_text())
    found = [f"viewer/src: {line}" for line in wrong(source / "viewer" / "src", may)]
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

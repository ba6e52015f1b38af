"""Fields of JSON that the tool writes, against those who describe or read them: fields.py SOURCE.

The C++ that writes a field is the source. The page's types (viewer/src) have exactly the fields that src/report/page writes; the
schemas of docs have all that src/report writes for programs, and nothing that no code of ours can name. (That reports are as the
schema says, types and all, is tested where reports are made: tests/cli/schema.py refuses what a schema does not know. Neither side is
generated from the other: the page's types say more than JSON has, which of two kinds a row is and what a number counts, and a compiler
of schemas would be a step more in two builds; this keeps what can drift apart.)
"""
import json
import re
import sys
from pathlib import Path

# Keys as they are written: {"key", value}, to["key"] = value, put_time(to, "key", value).
WRITTEN = re.compile(r'\{\s*"(\w+)",|\["(\w+)"\]|\bput_\w+\(\w+, "(\w+)"')
WORD = re.compile(r'"(\w+)"')
# What the page's script reads begins with these types.
ROOTS = ("Meta", "PairMeta", "ColumnDescription")
# Schema -> who writes it.
SCHEMAS = {
    "report-schema.json": ["src/report/json/json.cpp", "src/report/json/metrics.cpp", "src/report/json/counters.cpp"],
    "compare-schema.json": ["src/report/json/compare.cpp"],
    "repeated-schema.json": ["src/report/repeated.cpp"],
}
# Whose tables name fields: states, metrics, how near; counters.
TABLES = ["src/report", "src/profile", "src/record/counter_table.h"]


def code(path):
    return re.sub(r"//[^\n]*", "", path.read_text())


def written(paths):
    return {key for path in paths for found in WRITTEN.findall(code(path)) for key in found if key}


def interfaces(folder):
    """Name of each interface of the page's script -> what stands between its braces."""
    out = {}
    for path in sorted(folder.rglob("*.ts")):
        text = code(path)
        for start in re.finditer(r"\binterface (\w+)[^{]*\{", text):
            end, depth = start.end(), 1
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            out[start[1]] = text[start.end():end - 1]
    return out


def read_by_page(folder):
    types = interfaces(folder)
    wanted, seen, fields = list(ROOTS), set(), set()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        fields.update(re.findall(r"(?<!\[)\b(\w+)\??:", types[name]))
        wanted += [word for word in re.findall(r"\b[A-Z]\w+", types[name]) if word in types]
    return fields


def properties(schema):
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from properties(part)


def wrong(root):
    page = [path for path in sorted((root / "src/report/page").glob("*.cpp")) if path.stem != "speedup_plot"]
    said, read = written(page), read_by_page(root / "viewer/src")
    if len(said) < 50:
        yield f"src/report/page writes {sorted(said)} only"
    for key in sorted(said - read):
        yield f'src/report/page writes "{key}", which no type of viewer/src has'
    for key in sorted(read - said):
        yield f'viewer/src reads "{key}", which src/report/page does not write'
    words = {word for folder in TABLES for path in [root / folder, *(root / folder).rglob("*.*")] if path.suffix in (".h", ".cpp") for word in WORD.findall(code(path))}
    for name, writers in SCHEMAS.items():
        known = set(properties(json.loads((root / "docs" / name).read_text())))
        said = written(root / path for path in writers)
        if not said:
            yield f"{writers} write no field"
        for key in sorted(said - known):
            yield f'docs/{name} does not have "{key}", which {writers[0]} writes'
        for key in sorted(known):
            if key not in words and key.removesuffix("_seconds") not in words:
                yield f'docs/{name} has "{key}", which nothing writes'


def main():
    found = list(wrong(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

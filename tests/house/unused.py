"""What a header of src declares is used: unused.py SOURCE. By name, comments and texts left out: a function or a constant that no file but
its header and the file that defines it names, and these only once, is nobody's. (What is used in no place of one file the
compiler tells; what exports.txt names is the program's to call.)

Used means by the product: what only tests call is not kept for them, unless it says so, as stall_writer_for_test(), or stands in
FOR_TESTS.
"""
import re
import sys
from collections import Counter
from pathlib import Path

# They ask a structure how it is, or complete a thing's operations.
FOR_TESTS = {
    "count_blocks": "blocks in transit, for the model checker",
    "latest_chunk": "the builder's, for programs made by hand",
    "metrics_page": "docs/metrics.md, which a test compares and writes",
    "kDynamicRule": "the first of the rules' numbers",
}
FOLDERS = ("src", "include", "programs", "bench", "python")
ENDINGS = (".h", ".hpp", ".cpp", ".c", ".def")
NAME = re.compile(r"[A-Za-z_]\w*")
# A declaration or definition: "type name(arguments) const;" and "name(arguments) {".
DECLARED = re.compile(r"[\w>&*\]] [*&]?([a-z_]\w*)\(((?:[^;{}()]|\([^()]*\))*)\)((?:\s*(?:const|noexcept|override|final))*)\s*(?:;|\{|= )")
CONSTANT = re.compile(r"\bconstexpr [\w:<>*& ]+?\b(k[A-Z]\w*)")
NO_TYPES = {"return", "else", "co_return", "throw", "new", "delete", "case", "goto"}


def code(path):
    """Without comments; of a text, what it says is nothing that it names."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(errors="replace"), flags=re.DOTALL)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', lambda m: '""' if m[0][0] == '"' and "/" not in m[0] else " ", text) if path.suffix != ".def" else text


def declared(text):
    for found in DECLARED.finditer(text):
        type_end = text[:found.start() + 1]
        if re.search(r"\w+$", type_end) and re.search(r"\w+$", type_end)[0] in NO_TYPES or "override" in found[3]:
            continue
        yield found[1]
    yield from CONSTANT.findall(text)


def defines(text, name):
    return re.search(rf"^[A-Za-z_][^\n(=]*\b{name}\([^;{{}}]*\)[^;{{}}]*\{{", text, re.MULTILINE)


def wrong(root):
    texts = {path: code(path) for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in ENDINGS and "node_modules" not in path.parts and path.is_file()}
    counts = {path: Counter(NAME.findall(text)) for path, text in texts.items()}
    every = Counter()
    for count in counts.values():
        every.update(count)
    if len(texts) < 300:
        yield f"only {len(texts)} files under {root}"
    for name in sorted(FOR_TESTS.keys() - every.keys()):
        yield f"{name} of FOR_TESTS is not there any more"
    for header, text in texts.items():
        if header.suffix != ".h" or root / "src" not in header.parents:
            continue
        for name in sorted(set(declared(text))):
            if every[name] > 2 or name in FOR_TESTS or name.endswith("_for_test"):
                continue
            others = [path for path in texts if counts[path][name] and path != header]
            if not others and every[name] == 1 or len(others) == 1 and counts[header][name] == 1 and defines(texts[others[0]], name):
                yield f"{header.relative_to(root)} declares {name}, which nothing uses"


def main():
    found = list(wrong(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

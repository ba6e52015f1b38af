"""Files that comments and pages name are there: paths.py SOURCE.

A name is looked for as a path from the root, from the folder of who names it, or as the end of some path of the repository
(worker.cpp, runtime/types.h). Names that are others' (a compiler's header, what a command writes) stand in OTHERS.
"""
import re
import subprocess
import sys
from pathlib import Path

ENDINGS = "h|hpp|cpp|c|py|ts|tsx|mjs|js|sh|md|cmake|json|def|txt"
NAME = re.compile(rf"(?<![\w/.$<{{}}*~=-])((?:[\w-]+/)*[\w-]+\.(?:{ENDINGS}))(?![\w/*({{])(?!\.\w)")
COMMENT = {".h": "//", ".hpp": "//", ".cpp": "//", ".c": "//", ".ts": "//", ".tsx": "//", ".mjs": "//", ".py": "#", ".sh": "#",
           ".cmake": "#", ".txt": "#", ".def": "//"}
# Not ours: headers of OpenMP and the system, sources of GCC's and LLVM's runtimes, files that users and commands make, names in
# examples.
OTHERS = set("""
    omp.h omp-tools.h omp_lib.h zstd.h valgrind.h linux/mempolicy.h json.hpp Node.js
    gomp-constants.h omp/gomp-constants.h libgomp.h loop.c loop_ull.c omp-expand.c parallel.c target.c task.c
    kmp.h kmp_cancel.cpp kmp_csupport.cpp kmp_dispatch.cpp kmp_ftn_entry.h kmp_runtime.cpp kmp_sched.cpp kmp_tasking.cpp
    kmp_threadprivate.cpp
    a.c b.c app.c sort.c main.c a_test.cpp mine.json report.json package.json run.sh traces.def traces/12.def
""".split())
# Of these one capital word stands for many: NAME.c.
PATTERN = re.compile(r"(?:.*/)?[A-Z]{4,}\.\w+$")
# Tables of other suites' tests.
SKIPPED = ("CHANGELOG", "docs/conformance.md", "tests/kept/", "tests/conformance/expected")


def comments(path, text):
    """Pairs of line number and text; a page's are all of its lines."""
    if path.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
        return
    if path.suffix == ".txt" and path.name != "CMakeLists.txt":  # lists
        return
    mark = COMMENT.get(path.suffix)
    if not mark:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if (at := re.search(rf"(?:^|\s){re.escape(mark)}\s(.*)", line)) and not re.match(r"\s*#\s*(include|define|if|endif)", line):
            yield number, at[1]


def ends(files):
    """Every path, and every end of it that begins behind a slash."""
    out = set()
    for file in files:
        parts = file.split("/")
        out.update("/".join(parts[i:]) for i in range(len(parts)))
    return out


def wrong(root):
    files = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    files = [f for f in files if (root / f).is_file()]
    known = ends(files)
    for name in files:
        path = root / name
        if name.startswith(SKIPPED) or path.suffix not in {*COMMENT, ".md"}:
            continue
        for number, text in comments(path, path.read_text(errors="replace")):
            for said in NAME.findall(re.sub(r"```.*", "", text)):
                if said not in known and said not in OTHERS and not PATTERN.match(said) and not (path.parent / said).exists():
                    yield f"{name}:{number}: there is no {said}"


def main():
    root = Path(sys.argv[1])
    found = list(wrong(root))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

"""expected/SUITE.txt: the cases that pass, one `COMPILER CASE` a line. A case on it that is gone, or one that runs without
being on it, is a failure like any other: tests neither vanish nor appear unseen. run.py --update writes it anew."""
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "expected"


def read(suite):
    path = FOLDER / f"{suite}.txt"
    if not path.exists():
        return set()
    lines = (line.split("#", 1)[0].strip() for line in path.read_text().splitlines())
    return {line for line in lines if line}


def write(suite, passed, kept):
    """passed: what this run saw pass; kept: lines of compilers that this run left out."""
    FOLDER.mkdir(exist_ok=True)
    text = f"# The cases of {suite} that pass. Written by tests/conformance/run.py {suite} --update.\n"
    (FOLDER / f"{suite}.txt").write_text(text + "".join(f"{line}\n" for line in sorted(passed | kept)))


def compare(suite, compilers, ran):
    """Failures, as (name, reason): what the list has and this run had not, and the other way round."""
    listed = {line for line in read(suite) if line.split()[0] in compilers}
    gone = [(line, "is on the list of passing cases, but there is no such case any more") for line in listed - ran]
    new = [(line, "is not on the list of passing cases: run.py --update, and look at the difference")
           for line in ran - listed]
    return sorted(gone + new)

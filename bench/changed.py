#!/usr/bin/env python3
"""Questions about a changed program (--what-if, --cutoff), checked against that program: it is really changed and recorded, and its wall time is
that of the answer; or the question is refused.

    python3 bench/changed.py BUILD [--strict]

Refusals rest on counts and lengths of grains, and are checked on any computer. --strict holds answers to the claims, on a
computer that does nothing else.
"""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "truth" / "prediction"))
from prediction import COMPILERS, HERE, Einkorn, median, middle  # noqa: E402: from that folder
from marked import is_marked  # noqa: E402: from tests, where prediction.py looks

STRICT = "--strict" in sys.argv
WITHIN = 0.1 if STRICT else 0.3
SHORT = 60  # iterations: a leaf of some 0.1 us


def line_of(e, file, mark):
    """As the recording has it: of the directive marked in two_parts.c, or of the loop below it: compilers differ."""
    return next(s["line"] for s in e.report(file)["sources"] if is_marked(s.get("line"), HERE / "two_parts.c", mark))


def ask(e, app, threads, before, after, options):
    """The error of the answer, as a part of the truth; None: times were not valid."""
    title = f"{app.name} with {threads} threads, {' '.join(map(str, options))}"
    p = e.predict(middle(before)[1], threads, *options) if before and after else None
    if p is None:
        return print(f"     {title}: times not valid", flush=True)
    wall, truth = middle(before)[0], middle(after)[0]
    error = p.best / truth - 1
    e.check(abs(error) <= WITHIN, f"{title}: {wall * 1e3:.1f} ms, predicted {p.best * 1e3:.1f} ms, then measured {truth * 1e3:.1f} ms ({error:+.1%})")
    return abs(error)


def refused(e, file, word, *options):
    done = e.run("simulate", file, "--threads", 1, *options)
    times = "not valid" in done.stderr  # that is told first
    e.check(done.returncode == 125 and (times or word in done.stderr), f"{file.name} {' '.join(map(str, options))}: refused")


def main():
    with tempfile.TemporaryDirectory() as folder:
        e = Einkorn(sys.argv[1], folder)
        errors = []
        for compiler in COMPILERS:
            parts, tree = e.compile("two_parts", compiler), e.compile("cut_off", compiler)
            for threads in (1, 2) if STRICT else (2,):
                was, *now = (threads,), (threads, "tasks"), (threads, "loop")
                valid, some = e.record(parts, was, *now)
                for kind in now:
                    what_if = ["--what-if", f"line=two_parts.c:{line_of(e, some[was], kind[1])},speedup=2"]
                    errors.append(ask(e, parts, threads, valid[was], valid[kind], what_if))
                now = (threads, 1), (threads, 3)  # down to two tasks, one of which has two thirds of the work; to eight
                valid, _ = e.record(tree, was, *now)
                for kind in now:
                    errors.append(ask(e, tree, threads, valid[was], valid[kind], ["--cutoff", f"depth={kind[1]}"]))
            # Leaves so short that their recorded times are mostly the cost of recording: nobody knows their times as
            # calls, or made faster.
            short = (1, 15, SHORT)
            valid, some = e.record(tree, short, runs=1)
            file = valid[short][0][1] if valid[short] else some[short]
            refused(e, file, "Give the program that cut-off", "--cutoff", "depth=3")
            for source in e.report(file)["sources"]:
                if source.get("construct") == "task":
                    refused(e, file, "record it", "--what-if", f"line=cut_off.c:{source['line']},speedup=2")
                    break
        errors = [x for x in errors if x is not None]
        print(f"\nOf {len(errors)} answers: median error {median(errors):.1%}, largest {max(errors, default=0):.0%}.")
        if STRICT:
            e.check(len(errors) == 8 * len(COMPILERS), "all have valid times")
    sys.exit(f"{len(e.failed)} failed" if e.failed else 0)


if __name__ == "__main__":
    main()

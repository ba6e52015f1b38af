#!/usr/bin/env python3
"""Programs that nothing was fitted to: recorded with one thread and with two, each predicted from the other's recording.

    python3 bench/predictions.py BUILD [--table [REGEX]]
    python3 bench/predictions.py BUILD --memory

For each number of threads three recordings with valid times are made (five for the table). The one with the median wall time
is the source of predictions, and the truth for others. With two recordings (--with) the second one is the next faster one.

What needs no times is checked for every prediction: none is below the time that one lock is held, and two threads gain what
the program's construction allows. The rest is checked only if times are valid, with tolerances for a busy computer: other
programs make times invalid, so a recording is tried several times. --memory prints the table of what programs do with
arrays that no cache holds, and checks no times. --table prints the table of docs/validation.md, and
checks the claims there; that needs a computer that does nothing else.
"""
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "truth" / "prediction"))
from prediction import COMPILERS, RUNS, Einkorn, beside_middle, median, middle  # noqa: E402: from that folder

# Program -> least and most time of two threads, as a part of one thread's, by its construction.
PROGRAMS = {
    "irregular_tasks": (0.48, 0.65), "memory_bound": (0.45, 1.05), "pipeline": (0.48, 0.7), "ordered": (0.48, 0.75),
    "lock_heavy": (0.48, 1.3), "critical_loop": (0.48, 0.75), "uneven_dynamic": (0.48, 0.6), "serial_and_guided": (0.5, 0.75),
}
WORST, TYPICAL = 0.4, 0.15  # on a computer that does other things, too
STRICT_WORST, STRICT_TYPICAL, WIDEST = 0.15, 0.05, 0.3
STRICT_RUNS = 5


MEMORY = ("dot", "roots", "part", "gather", "sparse", "product", "tasks")  # of memory_kinds.c


class Row:
    """One program by one compiler, with its arguments."""

    def __init__(self, e, name, compiler, runs, *words):
        self.title = f"{words[0] if words else name}, {compiler}"
        app = e.compile(name, compiler)
        valid, some = ({kind[0]: made for kind, made in of.items()} for of in e.record(app, (1, *words), (2, *words), runs=runs))
        self.walls = {n: middle(v)[0] if v else None for n, v in valid.items()}
        self.predicted, self.both = {}, {}
        for here, there in ((1, 2), (2, 1)):
            file = middle(valid[here])[1] if valid[here] else some[here]
            p = e.predict(file, there) if file else None
            if not p:
                continue
            e.check(p.within[0] <= p.ends[0] and p.ends[0] >= p.hold * (1 - 1e-6),
                    f"{file.name}: {p.ends[0]:.4f} s is no less than a lock's hold of {p.hold:.4f} s")
            if here == 1 and name in PROGRAMS:
                least, most = PROGRAMS[name]
                e.check(least <= p.best / p.recorded <= most, f"{file.name}: two threads take {p.best / p.recorded:.2f} of one's time")
            if self.walls[here] and self.walls[there]:
                self.predicted[there] = p
                # The truth is not one of the recordings predicted from.
                self.both[there] = e.predict(file, there, "--with", beside_middle(valid[there])[1])

    def errors(self, of):
        return [p.best / self.walls[n] - 1 for n, p in of.items()]

    def outside(self, of):
        return [n for n, p in of.items() if not p.within[0] <= self.walls[n] <= p.within[1]]

    def cells(self):
        ms = lambda seconds: f"{seconds * 1e3:.1f}"
        span = lambda p, n: f"{ms(p.within[0])} - {ms(p.within[1])}" + ("" if p.within[0] <= self.walls[n] <= p.within[1] else " (outside)")
        out = [ms(self.walls[1]), ms(self.walls[2])]
        for n in (2, 1):
            for p in (self.predicted[n], self.both[n]):
                out += [ms(p.best), f"{p.best / self.walls[n] - 1:+.0%}", span(p, n)]
        return out


class Figures:
    """The errors of all rows' predictions of one kind."""

    def __init__(self, rows, kind):
        self.errors = [abs(x) for row in rows for x in row.errors(getattr(row, kind))]
        self.typical, self.worst = median(self.errors), max(self.errors, default=0)
        self.outside = sum(len(row.outside(getattr(row, kind))) for row in rows)
        self.widths = [p.width() for row in rows for p in getattr(row, kind).values()]

    def __str__(self):
        return (f"median error {self.typical:.1%}, largest {self.worst:.0%} of {len(self.errors)}; {self.outside} outside of their range, "
                f"which is {median(self.widths):.0%} wide, at most {max(self.widths, default=0):.0%}")


def table(rows):
    print("| program | 1 thread | 2 threads |" + "".join(f" for {n} from one | error | within | from both | error | within |" for n in (2, 1)))
    print("|---" * 15 + "|")
    for row in rows:
        print(f"| {row.title} | {' | '.join(row.cells()) if len(row.predicted) == 2 else 'times not valid'} |")


def main():
    words = sys.argv[1:]
    strict, memory = "--table" in words, "--memory" in words
    chosen = re.compile(words[words.index("--table") + 1] if strict and words[-1] != "--table" else ".")
    with tempfile.TemporaryDirectory() as folder:
        e = Einkorn(words[0], folder)
        if memory:
            rows = [Row(e, "memory_kinds", c, STRICT_RUNS, kind) for kind in MEMORY for c in COMPILERS]
        else:
            rows = [Row(e, name, c, STRICT_RUNS if strict else RUNS) for name in PROGRAMS for c in COMPILERS if chosen.search(f"{name}, {c}")]
    one, two = Figures(rows, "predicted"), Figures(rows, "both")
    if strict or memory:
        table(rows)
    print(f"\nFrom one recording: {one}.\nFrom both: {two}.")
    if strict:
        e.check(len(one.errors) == 2 * len(rows), "all have valid times")
        e.check(one.typical <= STRICT_TYPICAL and two.typical <= STRICT_TYPICAL and two.worst <= STRICT_WORST, "errors as claimed")
        e.check(one.outside == two.outside == 0 and max(two.widths) <= WIDEST, "ranges as claimed")
    elif not memory and len(one.errors) >= len(rows):  # the median of fewer says little
        e.check(one.typical <= TYPICAL and two.worst <= WORST, "half of the predictions are near, none is far off")
        e.check(max(one.outside, two.outside) <= len(one.errors) / 2, "most truths are within their ranges")
        e.check(median(two.widths) <= WIDEST, "two recordings make a range narrow")
    sys.exit(f"{len(e.failed)} failed" if e.failed else 0)


if __name__ == "__main__":
    main()

"""Tasks that are better run at once are, and others are not: at_once.py [BUILD]

One thread creates tasks for a team of two (at_once.c). Those that do next to nothing must mostly run as calls, with dependences,
too: queueing one costs more than running it. Long ones must not, nor long ones among tiny ones, nor tasks that create tasks: the
other thread would have nothing to do. The clock tells which tasks are tiny, so on a busy machine the first share may be
smaller, but the others are never larger; the best of several runs counts."""
import pathlib
import sys

import probes
from probes import HERE

RUNS = 5
LEAST = {"tiny": 0.3, "depend": 0.25}  # shares of the tasks
MOST = {"long": 0.05, "mixed": 0.10, "tree": 0.02}


def share(files, program, kind):
    tasks, at_once = map(int, probes.execute([program, kind], files.environment(OMP_NUM_THREADS="2")).split())
    return at_once / tasks


def main():
    files = probes.Probes(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build").resolve())
    programs = files.for_each_compiler(lambda compiler: files.build(HERE / "at_once.c", compiler))
    complaints = []
    for compiler, program in programs.items():
        for kind in [*LEAST, *MOST]:
            least, most = LEAST.get(kind, 0), MOST.get(kind, 1)
            for _ in range(RUNS):
                found = share(files, program, kind)
                if least <= found <= most:
                    break
            print(f"{compiler} {kind}: {found:.1%} at once")
            if not least <= found <= most:
                complaints.append(f"{compiler} {kind}: not between {least:.0%} and {most:.0%}")
    return complaints


probes.run(main)

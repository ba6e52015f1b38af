"""The third to fifth table: programs/ with 1, 2, 4 and 8 threads, and untied tasks compared with tied ones.

Seconds of the parallel part as the programs print them; each run checks its result."""
import statistics

import pairs
import tables
from runner import OURS, PEERS

COUNTS_OF_THREADS = [1, 2, 4, 8]
JUDGED = [1, 2, 4]
PROGRAMS = {  # name: command; a tenth of a second to half a second with one thread
    "programs/fib": "fib --size 26",
    "programs/fib.one-task": "fib --size 27 --one-task",
    "programs/fib.cutoff": "fib --size 36 --cutoff 12",
    "programs/nqueens": "nqueens --size 12",
    "programs/nqueens.no-cutoff": "nqueens --size 12 --no-cutoff",
    "programs/floorplan": "floorplan --size 8",
    "programs/floorplan.no-cutoff": "floorplan --size 8 --no-cutoff",
    "programs/sort": "sort --size 1000000",
    "programs/sort.fine": "sort --size 500000 --cutoff 64 --merge-cutoff 64",
    "programs/sparselu": "sparselu --size 30 --block 40",
    "programs/sparselu.depend": "sparselu --size 30 --block 40 --version depend",
    "programs/strassen": "strassen --size 512",
    "programs/health": "health --size 5 --steps 400",
    "programs/uts": "uts --tree t1 --cutoff 1000",
    "programs/bfs.task": "bfs --size 16",
    "programs/bfs.taskloop": "bfs --size 16 --version taskloop",
    "programs/bfs.loop": "bfs --size 16 --version loop",
    "programs/bfs.mesh": "bfs --size 16 --version loop --graph mesh --cutoff 0 --roots 8",
    "programs/bfs.mesh-static": "bfs --size 16 --version static --graph mesh --cutoff 0 --roots 8",
    "programs/fft.task": "fft --size 18 --cutoff 256",
    "programs/fft.loop": "fft --size 18 --version loop",
    "programs/alignment.for": "alignment --size 30 --length 200",
    "programs/alignment.single": "alignment --size 30 --length 200 --version single",
    "programs/alignment.taskloop": "alignment --size 30 --length 200 --version taskloop",
    "programs/alignment.loop": "alignment --size 30 --length 200 --version loop",
    "programs/jacobi.depend": "jacobi --size 16 --block 16 --steps 400",
    "programs/jacobi.task": "jacobi --size 16 --block 16 --steps 400 --version task",
    "programs/jacobi.loop": "jacobi --size 16 --block 16 --steps 400 --version loop",
    "programs/jacobi.large": "jacobi --size 8 --block 128 --steps 60",
    "programs/cholesky.depend": "cholesky --size 48 --block 32",
    "programs/cholesky.task": "cholesky --size 48 --block 32 --version task",
    "programs/cholesky.loop": "cholesky --size 48 --block 32 --version loop",
    "programs/qr.depend": "qr --size 20 --block 32",
    "programs/qr.large": "qr --size 10 --block 64",
    "programs/qr.task": "qr --size 20 --block 32 --version task",
    "programs/qr.loop": "qr --size 20 --block 32 --version loop",
    "programs/cube.task": "cube --size 8 --tuples 20000",
    "programs/cube.depend": "cube --size 8 --tuples 20000 --version depend",
    "programs/cube.loop": "cube --size 8 --tuples 20000 --version loop",
    "programs/stencil.depend": "stencil --size 256 --steps 400",
    "programs/stencil.task": "stencil --size 256 --steps 800 --version task",
    "programs/stencil.work": "stencil --size 256 --steps 400 --work 500",
    "programs/md.static": "md --size 5 --steps 100",
    "programs/md.dynamic": "md --size 5 --steps 100 --schedule dynamic",
    "programs/md.guided": "md --size 5 --steps 100 --schedule guided",
    "programs/heat.static": "heat --size 512 --steps 200",
    "programs/heat.dynamic": "heat --size 512 --steps 200 --schedule dynamic",
    "programs/heat.guided": "heat --size 512 --steps 200 --schedule guided",
}

# With untied tasks, compared with tied ones. No more tasks than libomp runs in seconds: it takes 10 us and more for
# each.
TIED = {
    "programs/fib.untied": "fib --size 23",
    "programs/nqueens.untied": "nqueens --size 10 --no-cutoff",
    "programs/floorplan.untied": "floorplan --size 8 --cutoff 6",
    "programs/sort.untied": "sort --size 300000 --cutoff 256 --merge-cutoff 256",
    "programs/strassen.untied": "strassen --size 512",
    "programs/health.untied": "health --size 4 --steps 400",
    "programs/uts.untied": "uts --tree t1 --depth 7",
    "programs/fft.untied": "fft --size 18 --cutoff 256",
    "programs/cube.untied": "cube --size 8 --tuples 20000",
}
PROGRAMS |= {name: command.replace(" ", "-untied ", 1) for name, command in TIED.items()}


def measure(runner, name, rounds, most, tries):
    """{"times": {threads: {who: [seconds]}}, "tied": {threads: [{who: seconds} of each round]}, "settings": {...}, "crowded": {...}}: the
    peers' settings are searched twice, with as many threads as CPUs and with twice as many, since the best ones differ."""
    command = PROGRAMS[name]
    if name in TIED:
        tries = 1  # libomp's are at least ten times slower with any setting
    settings = {crowded: runner.best_settings(runner.program, command, (1 + crowded) * runner.cpus, tries)
                for crowded in (False, True)}
    found = {}
    for threads in COUNTS_OF_THREADS:
        def tied():
            return {who: runner.program(TIED[name], compiler, True, threads, {}) for who, compiler in OURS.items()}
        found[threads] = runner.in_turn(runner.program, command, threads, settings[threads > runner.cpus], rounds,
                                        most if threads in JUDGED else rounds, also=tied if name in TIED else None)
    times, beside = ({threads: both[i] for threads, both in found.items()} for i in (0, 1))
    return {"times": times, "tied": beside if name in TIED else None, "settings": settings[False],
            "crowded": settings[True]}


def again(runner, name, result, rounds):
    """More rounds of what is judged and not known to be fast enough: [what]"""
    short, found = name.partition("/")[2], []
    for threads in JUDGED:
        times = result["times"][threads]
        if not pairs.is_within(times, OURS, PEERS):
            settings = result["crowded" if threads > runner.cpus else "settings"]
            runner.again(times, rounds, runner.program, PROGRAMS[name], threads, settings)
            found.append(f"{short} with {threads}")
    return found


def cell(times):
    """Ratios: gcc to libgomp, clang to libomp, and the better of ours to the better peer."""
    ours, peers = list(OURS), list(PEERS)
    each = [f"{statistics.median(pairs.ratios(times, [a], [b])):.2f}" for a, b in zip(ours, peers)]
    return " / ".join(each + [pairs.text(pairs.ratios(times, ours, peers))])


def untied_lines(results, heads):
    """Ratios of untied to tied tasks, both on Einkorn, in pairs."""
    some = {name: result for name, result in results.items() if result["tied"]}
    if not some:
        return []
    lines = ["", "| untied by tied, Einkorn: gcc / clang | " + " | ".join(heads) + " |", "|---" * (1 + len(heads)) + "|"]
    for name, result in some.items():
        def cell_of(threads):
            times, tied = result["times"][threads], result["tied"][threads]
            return " / ".join(pairs.text([a / b[who] for a, b in zip(times[who], tied)]) for who in OURS)
        cells = [cell_of(threads) for threads in COUNTS_OF_THREADS]
        lines.append(f"| {name.partition('/')[2].removesuffix('.untied')} | " + " | ".join(cells) + " |")
    return lines


def lines_of(results, cpus):
    """The ratios, those of untied to tied tasks; then the seconds from which they come, and the speed-up."""
    heads = [f"{threads} thread{'s' * (threads > 1)}" for threads in COUNTS_OF_THREADS]
    lines = ["| Einkorn by peer: gcc / clang / best | " + " | ".join(heads) + " |", "|---" * (1 + len(heads)) + "|"]
    for name, result in results.items():
        cells = [cell(result["times"][threads]) for threads in COUNTS_OF_THREADS]
        lines.append(f"| {name.partition('/')[2]} | " + " | ".join(cells) + " |")
    judged = {f"{name.partition('/')[2]} with {threads}": result["times"][threads]
              for name, result in results.items() for threads in JUDGED}
    lines += ["", *pairs.verdict(judged, OURS, PEERS)]
    lines += untied_lines(results, heads)
    everyone = [*PEERS, *OURS]
    many = max(threads for threads in COUNTS_OF_THREADS if threads <= max(cpus, 1))
    lines += ["", f"| ms with {many} threads; speed-up over one | " + " | ".join(everyone) + " | command |",
              "|---" * (2 + len(everyone)) + "|"]
    for name, result in results.items():
        one, all_of_them = result["times"][1], result["times"][many]
        cells = [f"{tables.figure([1e3 * t for t in all_of_them[who]])}; "
                 f"{statistics.median(one[who]) / statistics.median(all_of_them[who]):.2f}" for who in everyone]
        lines.append(f"| {name.partition('/')[2]} | " + " | ".join(cells) + f" | `{PROGRAMS[name]}` |")
    return lines

#!/usr/bin/env python3
"""Makes the recordings of tests/kept anew: measured on a quiet machine, so that tests of times do not need one.

    [EINKORN_BUILD=build] bench/keep.py [WHAT...]        # problems, predictions, truth, changed, cli, clean, or names of programs; all: five minutes

When to do it: after a change of the format that makes tests/kept refuse the files or leaves the new part untested; after a change of the
contents of recordings (costs of constructs, waits); after a change of the programs. On a machine with two CPUs or more that does nothing else.
Not to make a test pass: if a promise or a prediction left its bounds with the same files, the report or the simulator changed.

A recording names addresses of a program that is not kept. So the source locations that the tool finds for them are written into the file,
in the form that clang's entry points use: the text of a site, `;file;function;line;column;;`. Modules lose their paths. Nothing else is changed,
and the report must say the same of both files.
"""
import argparse
import importlib
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in ("tests/problems", "tests/truth", "tests/truth/prediction", "tests/truth/reader", "tests/kept"):
    sys.path.insert(0, str(ROOT / folder))
os.environ.setdefault("EINKORN_BUILD", str(ROOT / "build"))
import grain_file as grain  # noqa: E402
import kept  # noqa: E402
import known  # noqa: E402
import prediction  # noqa: E402
import seeded  # noqa: E402

TRIES = 12             # for a recording whose times are valid
RECORDINGS = 3         # of which the median one is kept
PAIRS, FINE_PAIRS = 9, 25  # runs that are not recorded, with the problem and fixed; where a fix gains little of a short run
NOWHERE = b";nowhere.c;nowhere;900001;1;;"


def each_text(record, change):
    """Applies change(number, text) to each of a block's records."""
    def changed(payload):
        out, at = [], 0
        while at < len(payload):
            fields = list(record.unpack_from(payload, at))
            text = change(fields[0], payload[at + record.size:at + record.size + fields[5]])
            at += record.size + fields[5]
            fields[5] = len(text)
            out.append(record.pack(*fields) + text)
        return b"".join(out)
    return changed


def without_folders(payload):
    meta = json.loads(payload)
    meta.pop("host", None)
    meta["cwd"] = "/"
    for name in ("executable", "program"):
        meta[name] = Path(meta[name]).name
    meta["argv"][0] = Path(meta["argv"][0]).name
    meta["environment"] = {k: v for k, v in meta["environment"].items() if k.startswith("OMP_") or k == "EINKORN_RECORD_COSTS"}
    return json.dumps(meta).encode()


def counts(report):
    """How often the report names each source location."""
    out = {}
    for key, number in (("sources", "grains"), ("waits", "waits"), ("locks", "acquired")):
        for place in report[key]:
            what = place.get("function", ""), key, place.get("file"), place.get("line")
            out[what] = out.get(what, 0) + place[number]
    return out


def texts_of(einkorn, file, folder):
    """What the tool says of each site that has no text: found as what its report lacks once that site has no location."""
    data, sites, texts = file.read_bytes(), [], {}
    grain.rewrite(data, {grain.SITES: each_text(grain.SITE, lambda site, text: text if text else sites.append(site) or text)})
    report, probe = seeded.read(einkorn, file), folder / "probe.grain"
    before = counts(report)
    for probed in sites:
        probe.write_bytes(grain.rewrite(data, {grain.SITES: each_text(grain.SITE, lambda site, text: NOWHERE if site == probed else text)}))
        after = counts(seeded.read(einkorn, probe))
        for function, _, path, line in sorted(what for what, number in before.items() if after.get(what, 0) < number):
            if path and line:  # of several, one with a function; if none has one, that of the enclosing construct
                around = [(s["line"], s["function"]) for s in report["sources"] if s.get("file") == path and s["line"] <= line]
                function = function or max(around, default=(0, ""))[1]
                texts[probed] = f";{'/'.join(Path(path).parts[-2:])};{function};{line};1;;".encode()
    return texts


def portable(data, texts):
    return grain.rewrite(data, {
        grain.META: without_folders,
        grain.MODULES: each_text(grain.MODULE, lambda _, path: Path(path.decode()).name.encode()),
        grain.SITES: each_text(grain.SITE, lambda site, text: short(text) or texts.get(site, b""))})


def short(text):
    """The text that clang's entry points passed, without folders."""
    return re.sub(rb"^;[^;]*?([^;/]*/[^;/]*);", rb";\1;", text)


def said(einkorn, file):
    """A recording's report, without the paths of files."""
    def bare(value):
        if isinstance(value, dict):
            return {k: Path(v).name if k == "file" else bare(v) for k, v in value.items() if k not in ("module", "address", "inlined", "column")}
        return [bare(v) for v in value] if isinstance(value, list) else value
    report = seeded.read(einkorn, file)
    return {k: bare(report[k]) for k in ("sources", "problems", "waits", "locks", "tasks", "chunks", "thread_time", "critical_path_seconds")}


class Keeper:
    def __init__(self, build, folder):
        self.build, self.folder = build, Path(folder)
        self.einkorn = build / "bin" / "einkorn"
        self.measured = json.loads(kept.MEASURED.read_text()) if kept.MEASURED.exists() else {}

    def keep(self, file, name):
        """Writes it into tests/kept, as name."""
        copy = self.folder / "portable.grain"
        copy.write_bytes(portable(file.read_bytes(), texts_of(self.einkorn, file, self.folder)))
        before, after = said(self.einkorn, file), said(self.einkorn, copy)
        for key in before:
            if before[key] != after[key]:
                raise SystemExit(f"{name}: {key} differ by name\n{before[key]}\n{after[key]}")
        kept.path(name).write_bytes(lzma.compress(copy.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        print(f"{name}: {kept.path(name).stat().st_size / 1000:.0f} KB", flush=True)

    def note(self, group, name, **what):
        self.measured.setdefault(group, {})[name] = what
        kept.MEASURED.write_text(json.dumps(self.measured, indent=1, sort_keys=True) + "\n")

    def valid(self, make, timed=True, runs=RECORDINGS):
        """The recording with the median wall time, of those with valid times."""
        good = []
        for k in range(TRIES):
            report, file = make(k)
            if report["times_valid"] or not timed:
                good.append((report["wall_seconds"], file))
            if len(good) == runs:
                return sorted(good)[runs // 2][1]
        raise SystemExit(f"{file.name}: too few recordings with valid times: the machine is busy")

    def problem(self, name, compiler):
        how = seeded.SEEDED[name]
        timed, less = how.get("timed", True), str(kept.LESS.get(name, 1))
        program = seeded.compile_program(name, self.folder, compiler=compiler)
        for word in ("problem", "fixed"):
            def make(k):
                file = self.folder / f"{program.name}-{word}-{k}.grain"
                report, _ = seeded.report(self.einkorn, program, (word, less), self.folder, how.get("record", ()), file=file)
                return report, file
            self.keep(self.valid(make, timed), f"{program.name}-{word}")
        gains = {}
        if timed:
            wall, gained = seeded.gained(seeded.pairs(self.einkorn, program, FINE_PAIRS if name in kept.LESS else PAIRS, less))
            gains = dict(wall_seconds=wall, gained_seconds=gained)
        self.note("problems", program.name, compiler=version(compiler), **gains)

    def predictions(self, name, compiler):
        e = prediction.Einkorn(self.build, self.folder)
        app = e.compile(name, compiler)
        valid, _ = e.record(app, (1,), (2,), runs=5)
        walls = {}
        for (threads,), made in valid.items():
            if len(made) < 5:
                raise SystemExit(f"{app.name}: too few recordings with valid times: the machine is busy")
            walls[str(threads)] = prediction.middle(made)[0]
            self.keep(prediction.middle(made)[1], f"{app.name}-{threads}")
            self.keep(prediction.beside_middle(made)[1], f"{app.name}-{threads}-beside")
        self.note("predictions", app.name, compiler=version(prediction.COMPILERS[compiler]), wall_seconds=walls)

    def changed(self):
        """Programs to ask questions about, and the wall times of the changed ones."""
        e = prediction.Einkorn(self.build, self.folder)
        for name, compiler, was, now in ((name, c, was, now) for name, was, now in kept.CHANGED for c in prediction.COMPILERS):
            app = e.compile(name, compiler)
            kinds = (2, *was), *((2, *words) for words in now)
            valid, _ = e.record(app, *kinds, runs=5)
            if any(len(v) < 5 for v in valid.values()):
                raise SystemExit(f"{name}: too few recordings with valid times: the machine is busy")
            self.keep(prediction.middle(valid[kinds[0]])[1], app.name)
            self.note("changed", app.name, compiler=version(prediction.COMPILERS[compiler]),
                      wall_seconds={" ".join(map(str, kind[1:])): prediction.middle(v)[0] for kind, v in valid.items()})
        app = e.compile("cut_off", "gcc")
        short = 1, 15, kept.SHORT
        valid, _ = e.record(app, short, runs=1)
        self.keep(valid[short][0][1], "cut_off-short")

    def truth(self, name, compiler, threads, words):
        """A program that reports what it did, or whose work is known."""
        program, title, made = known.build(name, compiler, self.folder), kept.truth(name, compiler, threads, words), {}
        beside = kept.BESIDE in words
        def make(k):
            with known.others(sorted(os.sched_getaffinity(0))[:threads] if beside else ()):
                recording = known.Recording(program, threads, before=() if beside else seeded.BEFORE_OTHERS, words=[w for w in words if w != kept.BESIDE])
            file = recording.file.rename(self.folder / f"{title}-{k}.grain")
            made[file] = recording.printed
            return recording.report, file
        file = self.valid(make, timed=not beside)
        self.keep(file, title)
        self.note("truth", title, compiler=version(known.COMPILERS[compiler][0]), printed=made[file])

    def cli(self, module, source, options, recordings):
        """Named as in the tests of the command line: app, of app.c."""
        sys.path.insert(0, str(ROOT / "tests" / "cli"))
        text = self.folder / "app.c"
        text.write_text(getattr(importlib.import_module(module), source))
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", *options, str(text), "-o", str(self.folder / "app")], check=True)
        for name, threads, words, *more in recordings:
            def make(k):
                recording = known.Recording(self.folder / "app", threads, before=seeded.BEFORE_OTHERS, words=words, **(more[0] if more else {}))
                # As if on another machine only what each grain took by itself is valid: where that is, it can be simulated.
                taken = more and subprocess.run([self.einkorn, "simulate", recording.file, "--threads", "1"], capture_output=True).returncode == 0
                return recording.report | ({"times_valid": taken} if more else {}), recording.file.rename(self.folder / f"{name}-{k}.grain")
            self.keep(self.valid(make), f"cli-{name}")

    def clean(self, name):
        words, timed_part = kept.CLEAN[name]
        roi = ("--roi",) if timed_part else ()
        def make(k):
            file = self.folder / f"{name}-{k}.grain"
            report, _ = seeded.report(self.einkorn, self.build / "programs" / f"{name}-gcc", (*words.split(), *roi), self.folder, roi, file=file)
            return report, file
        self.keep(self.valid(make), name)


def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*")
    options = parser.parse_args()
    chosen = lambda *names: not options.what or set(names) & set(options.what)
    with tempfile.TemporaryDirectory(prefix="einkorn-kept-") as folder:
        keeper = Keeper(known.BUILD, folder)
        for name, compiler in kept.PROBLEMS:
            if chosen("problems", name, f"{name},{compiler}"):
                keeper.problem(name, compiler)
        for name, compiler in kept.PREDICTIONS:
            if chosen("predictions", name, f"{name},{compiler}"):
                keeper.predictions(name, compiler)
        for name, threads, words in kept.TRUTH:
            for compiler in known.COMPILERS:
                if chosen("truth", f"truth-{name}", kept.truth(name, compiler, threads, words)):
                    keeper.truth(name, compiler, threads, words)
        if chosen("changed"):
            keeper.changed()
        for what in kept.CLI:
            if chosen("cli", *(f"cli-{recording[0]}" for recording in what[3])):
                keeper.cli(*what)
        for name in kept.CLEAN:
            if chosen("clean", name):
                keeper.clean(name)


if __name__ == "__main__":
    main()

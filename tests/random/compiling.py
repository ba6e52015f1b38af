"""Compiles files of programs: UNIT programs each, by gcc and by clang, every tenth optimised."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import generate

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {"gcc": ["gcc"], "clang": ["clang-19"]}
# The same with codelets of all regions that can have them. run.py puts our tool into PATH.
TARGETS = {"codelets": "tp", "complexes": "complexes"}
CODELETS = {f"{name}-{what}": ["einkorn", "cc", "--explain", "--target", target, "--compiler", *command]
            for name, command in COMPILERS.items() for what, target in TARGETS.items()}
UNIT = 100


def plain(compiler):
    return compiler.split("-")[0]


def level(first):
    return "-O1" if first // UNIT % 10 == 0 else "-O0"


class Uncompiled(Exception):
    pass


def said_of(command, source, output):
    """(the compiler's complaint or None, all that it said)."""
    try:
        done = subprocess.run([*command, "-c", str(source), "-o", str(output)], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=900)
    except FileNotFoundError:
        raise Uncompiled(f"{command[0]} is not installed (./dev test installs what the tests need)") from None
    # einkorn cc breaks no build; but what it could not do is to be seen.
    unable = [line for line in done.stdout.splitlines() if "lease report it" in line]
    return (None if done.returncode == 0 and not unable else "\n".join(unable) or done.stdout), done.stdout


def compiled(command, source, output):
    return said_of(command, source, output)[0]


def regions_of(said):
    """How many regions were translated, of how many, and why the others were not: (translated, all, [reason])."""
    counts = re.findall(r"^translated (\d+) of (\d+) regions$", said, re.MULTILINE)
    reasons = re.findall(r": stays OpenMP's: (.*)$", said, re.MULTILINE)
    return sum(int(n) for n, _ in counts), sum(int(n) for _, n in counts), [re.sub(r" \([^()]*:\d+\)", "", why) for why in reasons]


def with_regions_left(said):
    """The programs of which it left regions to OpenMP; functions beside theirs have no such regions."""
    return sorted({int(number) for number in re.findall(r"region of p(\d+)\(\): stays OpenMP's", said)})


def fits(command, seed, numbers, scratch):
    """The programs that the compiler accepts, and what it says of the others: (numbers, {number: complaint})."""
    source = scratch / "part.c"
    source.write_text(generate.unit(seed, numbers)[0])
    complaint = compiled(command, source, scratch / "part.o")
    if not complaint:
        return list(numbers), {}
    if len(numbers) == 1:
        return [], {numbers[0]: complaint[-2000:]}
    half = len(numbers) // 2
    one, two = (fits(command, seed, part, scratch) for part in (numbers[:half], numbers[half:]))
    return one[0] + two[0], {**one[1], **two[1]}


def harness(compiler, folder):
    """The same for all files."""
    compiler = plain(compiler)
    output = folder / f"harness-{compiler}.o"
    newest = max((HERE / name).stat().st_mtime_ns for name in ("harness.c", "harness.h"))
    if not output.exists() or output.stat().st_mtime_ns < newest:
        made = output.with_suffix(f".{os.getpid()}.o")
        complaint = compiled([*COMPILERS[compiler], "-O1", "-fopenmp", "-Wall", "-Wextra", "-Werror"], HERE / "harness.c", made)
        if complaint:
            raise Uncompiled(complaint)
        made.replace(output)
    return output


def executable(folder, seed, first, compiler):
    return folder / f"{seed}-{first:05d}-{compiler}"


def build(seed, first, last, compiler, folder, keep=False):
    """The executable of programs first to last - 1, and a note of its contents, so that it need not be made again."""
    path = executable(folder, seed, first, compiler)
    note = path.with_suffix(".json")
    if path.exists() and note.exists():
        known = json.loads(note.read_text())
        newest = max(path.stat().st_mtime_ns for path in HERE.iterdir() if path.suffix in (".py", ".c", ".h"))
        if compiler in CODELETS:
            newest = max(newest, pathlib.Path(shutil.which("einkorn-codelets") or "/").stat().st_mtime_ns)
        if known["last"] == last and (keep or path.stat().st_mtime_ns > newest):
            return path, known
    folder.mkdir(parents=True, exist_ok=True)
    command = [*{**COMPILERS, **CODELETS}[compiler], level(first), "-fopenmp", "-w", f"-I{HERE}"]
    with tempfile.TemporaryDirectory(prefix="einkorn-random-") as name:
        scratch, numbers, left_out = pathlib.Path(name), list(range(first, last)), {}
        source, object_file, made = scratch / "programs.c", scratch / "programs.o", scratch / "programs"
        text, programs = generate.unit(seed, numbers)
        source.write_text(text)
        complaint, said = said_of(command, source, object_file)
        if complaint:
            numbers, left_out = fits(command, seed, numbers, scratch)
            if not numbers:
                raise Uncompiled(complaint)
            source.write_text(generate.unit(seed, numbers)[0])
            complaint, said = said_of(command, source, object_file)
        if complaint:
            raise Uncompiled(complaint)
        done = subprocess.run([*COMPILERS[plain(compiler)], "-fopenmp", "-s", str(object_file), str(harness(compiler, folder)), "-lm", "-o",
                               str(made)], stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Uncompiled(done.stdout)
        final = path.with_suffix(f".{os.getpid()}")
        final.write_bytes(made.read_bytes())
        final.chmod(0o755)
        final.replace(path)
    known = {"seed": seed, "first": first, "last": last, "compiler": compiler, "left out": left_out, "regions": regions_of(said), "with regions left": with_regions_left(said),
             "programs": {p.number: sorted(p.uses) for p in programs if p.number in numbers}}
    note.write_text(json.dumps(known))
    return path, json.loads(note.read_text())

"""A file of programs, compiled as it is without OpenMP, and by einkorn cc: what each program says."""
import os
import pathlib
import re
import subprocess

COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
QUIET = ["-w", "-std=gnu11"]


def clean(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "LD_", "GOMP_", "KMP_")) or k in KEPT}
    return {**kept, "OMP_SCHEDULE": "dynamic,1", **more}


KEPT = set()  # variables of the environment that a wrong copy of the compiler reads


PROGRAM = re.compile(r"\b(?:case_|part_|walk_|func)(\d+)")


class Uncompiled(Exception):
    pass


def compiled(words, **environment):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=clean(**environment), timeout=600)
    return done.returncode, done.stdout


def said(program, environment=None, only=None, limit=None, patience=120, most_dead=30):
    """{number: [a line of each number of threads]}, {number: how it died}. What dies does so alone: the others go on."""
    results, dead, first = {}, {}, -1
    while True:
        words = [str(program), str(only if only is not None else -1), str(first), str(limit or 0)]
        try:
            done = subprocess.run(words, env=clean(**(environment or {})), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=patience)
            out, err, status = done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            out, err, status = (late.stdout or b"").decode(errors="replace"), "", None
        last = first
        for line in out.splitlines():
            words = line.split()
            if words[0] in ("crash", "hang"):
                dead[int(words[1])] = f"{words[0]} with {words[2]} threads"
                last = max(last, int(words[1]))
            elif len(words) == 4 and words[0].isdigit():
                results.setdefault(int(words[0]), []).append(line)
                last = max(last, int(words[0]))
        if out.endswith("end\n"):
            return results, dead
        if last not in dead:  # a sanitizer has ended it, or a signal that nobody catches: in the program behind the last line
            whole = len(results.get(last, [])) == 3
            last = last if not whole else last + 1
            problem = re.search(r"(runtime error: .*|ERROR: \w+Sanitizer: \S+|WARNING: \w+Sanitizer: \S+)", err)
            dead[last] = problem[1] if problem else f"ends with status {status}: {err.strip()[-200:]}"
        if only is not None or len(dead) >= most_dead:
            return results, dead
        first = last + 1


def reference(source, folder):
    """What the programs say as they are written: ({number: lines}, those that do not end or die)."""
    status, complaint = compiled(["clang-19", "-O0", *QUIET, source, "-o", folder / "reference"])
    if status:
        raise Uncompiled(f"the reference does not compile: {complaint[:600]}")
    return said(folder / "reference", limit=150)  # ms of CPU


class Tool:
    """einkorn cc of a build folder, with the compiler of codelets that was asked for."""

    def __init__(self, build, binary=None, folder=None, target=None, set_=()):
        self.build, self.target, self.check_plan = pathlib.Path(build).resolve(), target, False
        self.environment = dict(pair.split("=", 1) for pair in set_)
        if binary:
            home = folder / "home"
            (home / "bin").mkdir(parents=True, exist_ok=True)
            link = home / "bin" / "einkorn-codelets"
            link.unlink(missing_ok=True)
            link.symlink_to(pathlib.Path(binary).resolve())
            self.environment["EINKORN_HOME"] = str(home)

    def compile(self, source, output, compiler, flags):
        """(einkorn cc's complaint or None, all that it said)."""
        words = [self.build / "bin" / "einkorn", "cc", "--compiler", COMPILERS[compiler], "--explain"]
        if self.target and self.target != "tp":
            words += ["--target", self.target]
        if self.check_plan:
            words.append("--check-plan")
        status, text = compiled([*words, *flags, *QUIET, "-fopenmp", source, "-o", output], **self.environment)
        broken = [line for line in text.splitlines() if "Please report it" in line or "please report it" in line and not PROGRAM.search(line)]
        return (None if status == 0 and not broken else "\n".join(broken) or text[:2000]), text

    def library(self):
        return {"LD_LIBRARY_PATH": str(self.build / "lib"), **self.environment}


def regions_of(text):
    """(translated, all, [reason], {program: why its codelets do not compile})."""
    counts = re.findall(r"^translated (\d+) of (\d+) regions$", text, re.MULTILINE)
    reasons = re.findall(r": stays OpenMP's: (.*)$", text, re.MULTILINE)
    bare = [re.sub(r"'[^']*'", "'x'", re.sub(r" \([^()]*:\d+\)", "", why)) for why in reasons]
    broken = {}
    for line in text.splitlines():
        number = PROGRAM.search(line)
        if number and "please report it" in line:
            broken.setdefault(int(number[1]), line)
    return sum(int(n) for n, _ in counts), sum(int(n) for _, n in counts), bare, broken

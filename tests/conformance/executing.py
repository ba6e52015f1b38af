"""Builds (once) and runs one test of a foreign suite, and says how it went."""
import dataclasses
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile

import compiling
from run import ending

# The ends that a test can come to.
PASS, FAIL, TIMEOUT, UNCOMPILED, SKIPPED = "pass", "fail", "time-out", "not compiled", "skipped"
OUTCOMES = [PASS, FAIL, TIMEOUT, UNCOMPILED, SKIPPED]


@dataclasses.dataclass
class Result:
    test: str
    outcome: str
    reason: str = ""
    output: str = ""


def busy():
    """How many times longer than alone a test may take now, by the load of the machine."""
    return min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), 4.0)


def build(test, folder, key):
    """(program, None) or (None, the compiler's complaint); both are remembered under the command and the source's KEY."""
    place = folder / test.suite.name / test.name.replace("/", "_")
    program, note = place / "program", place / "note.json"
    wanted = hashlib.sha256("\0".join([key, *test.command]).encode()).hexdigest()
    try:
        known = json.loads(note.read_text())
        if known["key"] == wanted and (known["problem"] or program.exists()):
            return (None, known["problem"]) if known["problem"] else (program, None)
    except (OSError, ValueError, KeyError):
        pass
    place.mkdir(parents=True, exist_ok=True)
    # Module files and dumps fall where the compiler stands; another run may build the same test at the same time.
    with tempfile.TemporaryDirectory(dir=place) as scratch:
        made = os.path.join(scratch, "program")
        try:
            done = subprocess.run([*test.command, "-o", made], cwd=scratch, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=600)
        except FileNotFoundError:
            return None, f"{test.command[0]} is not installed (./dev test installs what the tests need)"
        except subprocess.TimeoutExpired:
            return None, f"{test.command[0]} took longer than 600 s"
        problem = None
        if done.returncode != 0:
            complaint = [line for line in done.stdout.splitlines() if re.search(r"\berror|undefined reference", line)]
            problem = (complaint or done.stdout.splitlines() or ["the compiler failed"])[0].strip()
        else:
            os.replace(made, program)
        note.write_text(json.dumps({"key": wanted, "problem": problem, "command": test.command}))
    return (None, problem) if problem else (program, None)


def last_line(text):
    unserved = re.search(r"^einkorn: this program uses (.*), which", text, re.MULTILINE)
    if unserved:
        return f"not served: {unserved[1]}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def execute(test, program, library, limit):
    with tempfile.TemporaryDirectory(prefix="einkorn-conformance-") as scratch, tempfile.TemporaryFile() as out:
        child = subprocess.Popen([*compiling.emulator(), str(program)], cwd=scratch, env=library.environment(test.directives.environment),
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        # And what it left behind, if it forked.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        out.seek(0)
        output = out.read(1 << 20).decode(errors="replace")
    if status is None:
        return Result(test.name, TIMEOUT, f"not done after {limit:.0f} s", output)
    if test.directives.should_fail and status == 0:
        return Result(test.name, FAIL, "exit status 0, but it is to fail", output)
    if not test.directives.should_fail and status != 0:
        return Result(test.name, FAIL, ": ".join(filter(None, [ending(status), last_line(output)])), output)
    if test.directives.output and not re.search(test.directives.output, output, re.DOTALL):  # as Tcl reads it
        return Result(test.name, FAIL, f"its output has no match for {test.directives.output!r}", output)
    return Result(test.name, PASS, "", output)


def one(test, folder, key, library, limit):
    if test.skip:
        return Result(test.name, SKIPPED, test.skip)
    program, problem = build(test, folder, key)
    if not program:
        return Result(test.name, UNCOMPILED, problem)
    return execute(test, program, library, limit * test.directives.time_factor * busy())

"""Runs a compiled file of programs and says what went wrong in it, by program and number of threads.

A time limit alone does not prove a hang: on a busy machine a program may well wait for seconds. What counts is what the kernel
says of its threads: how long they ran, and how long they waited for a CPU."""
import dataclasses
import mmap
import os
import re
import signal
import struct
import subprocess
import tempfile
import time

from subprocess import Popen

import model

ASLEEP = 25.0  # s in one program without a thread that runs or is ready; a schedule's rescue comes after some 10
RUNNING = 60.0  # s of CPU time in one program
OURS_TO_SET = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "EINKORN_", "RANDOM_")


@dataclasses.dataclass(frozen=True)
class Finding:
    kind: str  # wrong, hang, crash, end, slow
    program: int | None
    threads: int | None
    text: str


def clean(environment):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(OURS_TO_SET) and k != "LD_LIBRARY_PATH"}, **environment}


def spent(pid):
    """CPU seconds of all its threads, and the same including their waits for a CPU."""
    ran = waited = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                words = file.read().split()
            ran, waited = ran + int(words[0]), waited + int(words[1])
    except (OSError, ValueError, IndexError):
        pass
    return ran * 1e-9, (ran + waited) * 1e-9


class Watch:
    """How long the process has been in its current program, and whether it is asleep."""

    def __init__(self, pid, page):
        self.pid, self.page, self.at, self.last = pid, page, None, time.monotonic()

    def look(self):
        """Why it counts as hung, or None."""
        now, at = time.monotonic(), struct.unpack_from("4i", self.page)
        ran, wanted = spent(self.pid)
        passed, self.last = now - self.last, now
        if at != self.at:
            self.at, self.ran, self.wanted, self.passed = at, ran, wanted, 0.0
            return None
        self.passed += min(passed, 1.0)  # the watcher may have been stopped together with it
        if self.passed > ASLEEP and wanted - self.wanted < 0.2 * self.passed:
            return f"asleep for {self.passed:.0f} s"
        if ran - self.ran > RUNNING:
            return f"no end after {ran - self.ran:.0f} s of CPU time"
        return None


def stacks(pid):
    """Where it hangs, if there is a debugger."""
    try:
        done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all bt 14"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="replace", timeout=60)
        return "\n" + "\n".join(line for line in done.stdout.splitlines() if line.startswith(("#", "Thread")))
    except (OSError, subprocess.TimeoutExpired):
        return ""


def once(path, environment, arguments, want_stacks):
    """One process: (findings, position where it ended or None)."""
    with tempfile.NamedTemporaryFile() as progress, tempfile.TemporaryFile() as out:
        progress.truncate(4096)
        with mmap.mmap(progress.fileno(), 4096) as page:
            child = Popen([str(path), *arguments], env=clean({**environment, "RANDOM_PROGRESS": progress.name}),
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
            watch, hang, pause = Watch(child.pid, page), None, 0.05
            while hang is None:
                try:
                    child.wait(pause)
                    break
                except subprocess.TimeoutExpired:
                    hang, pause = watch.look(), 0.5
            if hang:
                hang += stacks(child.pid) if want_stacks else ""
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            status = child.wait()
            program, threads, _, done = struct.unpack_from("4i", page)
        out.seek(0)
        printed = out.read(1 << 20).decode(errors="replace")
    findings = []
    for kind, number, count, text in re.findall(r"^(wrong|slow) program (\d+) threads (\d+): (.*)$", printed, re.MULTILINE):
        findings.append(Finding(kind, int(number), int(count), text))
    wrong = any(f.kind == "wrong" for f in findings)
    if hang and done:
        return [*findings, Finding("end", None, None, f"does not end: {hang}")], None
    if hang:
        return [*findings, Finding("hang", program, threads, hang)], (program, threads)
    if not done:
        return [*findings, Finding("crash", program, threads, f"status {status}: {printed[-600:].strip()}")], (program, threads)
    if status != (1 if wrong else 0) or not re.search(r"^ok \d+$", printed, re.MULTILINE):
        findings.append(Finding("end", None, None, f"status {status}: {printed[-600:].strip()}"))
    return findings, None


def run(path, environment, numbers, leave=(), threads=model.THREADS, repeat=1, want_stacks=False, most=20):
    """Runs all programs with all numbers of threads; if one hangs or crashes, the others continue without it."""
    findings, left = [], [(list(threads), numbers[0])]
    while left:
        counts, first = left.pop()
        found, at = once(path, environment, ["--threads", ",".join(map(str, counts)), "--from", str(first), "--repeat",
                                              str(repeat), "--leave", ",".join(map(str, leave))], want_stacks)
        findings += found
        if at is None:
            continue
        if sum(f.kind in ("hang", "crash") for f in findings) >= most:
            findings.append(Finding("end", None, None, f"given up after {most} hangs and crashes"))
            break
        program, count = at
        rest = counts[counts.index(count) + 1:] if count in counts else []
        later = [n for n in numbers if n > program]
        if rest:
            left.append((rest, numbers[0]))
        if later and count in counts:
            left.append(([count], later[0]))
    return findings

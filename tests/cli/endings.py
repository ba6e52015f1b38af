"""Programs at random that fork, execute themselves, run twice at once and end by any means: every process that used OpenMP has a whole
recording of all that it did, or a sentence says why not.

  endings.py [--runs N] [--seed S]     each run follows from its number and the seed alone, which a failure prints
"""
import argparse
import fcntl
import json
import os
import random
import re
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from harness import CLANG, EINKORN, environment

# argv[1]: a number that no other image of the run has; argv[2]: what to do, letter by letter:
#   r a region   t a region with tasks   ( a child does what stands up to ), and is waited for at the end   [ the same, and is not
#   x execute itself: the rest is the new image's   v the same in a child made by posix_spawn, up to ]
#   e exit   _ _exit   q quick_exit   a abort   s SIGSEGV   m SIGTERM   k SIGKILL   y exit_group, the system call   p pthread_exit   i exit
#   within a region   K regions until somebody kills it
# After each region a line goes to the file LEDGER: process, image, regions so far.
PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static int regions, ledger;
static char *image;
static void note(void) {
  char line[100];
  int n = snprintf(line, sizeof line, "%d %s %d\n", getpid(), image, ++regions);
  if (write(ledger, line, n) != n) abort();
}
static void loop(void) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 10; i++)
    ;
  note();
}
static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; i++)
#pragma omp task
    for (volatile int k = 0; k < 100; k++)
      ;
  note();
}
static char *end_of(char *p) {  // behind the bracket that closes the one at p
  int depth = 0;
  for (;; p++) {
    depth += *p == '(' || *p == '[' || *p == 'v';
    depth -= *p == ')' || *p == ']';
    if (!depth) return p + 1;
  }
}
static char *image_number(char *p) {  // its place in the plan, of this image's
  static char text[200];
  snprintf(text, sizeof text, "%s.%d.%d", image, getpid(), (int)strlen(p));
  return text;
}
int main(int argc, char **argv) {
  image = argv[1];
  ledger = open(getenv("LEDGER"), O_WRONLY | O_APPEND | O_CLOEXEC);
  for (char *p = argv[2]; *p; p++) switch (*p) {
      case 'r': loop(); break;
      case 't': tasks(); break;
      case '(': case '[':
        if (fork()) {
          p = end_of(p) - 1;
        } else {
          regions = 0;
        }
        break;
      case 'v': {
        char *words[] = {argv[0], image_number(p), strndup(p + 1, end_of(p) - p - 2), NULL};
        pid_t pid;
        if (posix_spawn(&pid, argv[0], NULL, NULL, words, environ)) abort();
        p = end_of(p) - 1;
        break;
      }
      case ')': case ']': while (wait(0) > 0) ; exit(0);
      case 'x': execl(argv[0], argv[0], image_number(p), p + 1, NULL); abort();
      case 'w': while (wait(0) > 0) ; break;
      case 'e': exit(0);
      case '_': _exit(0);
      case 'q': quick_exit(0);
      case 'a': abort();
      case 's': raise(SIGSEGV); break;
      case 'm': raise(SIGTERM); break;
      case 'k': raise(SIGKILL); break;
      case 'y': syscall(SYS_exit_group, 0); break;
      case 'p': pthread_exit(0);
      case 'i':
#pragma omp parallel num_threads(2)
      {
#pragma omp single
        {
          note();
          exit(0);
        }
      }
      break;
      case 'K':
        if (!fork()) {
          usleep(1000 + rand() % 50000);
          kill(getppid(), SIGKILL);
          _exit(0);
        }
        for (;;) loop();
    }
  while (wait(0) > 0)
    ;
  return 0;
}
"""
ENDS = "e_qasmkypiK"


def plan(r, depth=0):
    text = "".join(r.choice("rrt") for _ in range(r.choice([0, 1, 1, 2, 5])))
    for _ in range(r.choice([0, 0, 1, 2]) if depth < 2 else 0):
        kind = r.choice("([v")
        inner = plan(r, depth + 1)
        # The letter before the closing bracket ends a child that did not end by itself.
        text += {"(": "(%s)", "[": "[%s]", "v": "v%s]"}[kind] % inner
        text += r.choice(["", "r", "t"])
    if depth < 2 and r.random() < 0.15:
        # The new image does the rest, up to the bracket that closes the whole.
        text += "x" + "".join(r.choice("rt") for _ in range(r.choice([0, 1, 2])))
    return text + ("w" if r.random() < 0.5 else "") + r.choice(ENDS + "     ").strip()


def balanced_exec(text):
    """An image begins after x: it must not find a bracket that closes one of the old image's. So x occurs only outside brackets, or in v."""
    depth, kinds, out = 0, [], []
    for c in text:
        if c in "([v":
            kinds.append(c)
        if c == "x" and any(k != "v" for k in kinds):
            c = ""
        out.append(c)
        if c in ")]" and c:
            kinds.pop()
    return "".join(out)


class Trouble(Exception):
    pass


def header_of(file):
    data = file.read_bytes()[:64]
    if len(data) < 64 or data[:8] != b"EINKORN\n":
        raise Trouble(f"{file.name}: no header in {len(data)} bytes")
    return struct.unpack_from("<QQ", data, 24)


class Run:
    def __init__(self, folder, apps, seed, number):
        self.r = random.Random(f"{seed}/{number}")
        self.folder = folder
        self.plans = [balanced_exec(plan(self.r)) for _ in range(self.r.choice([1, 1, 2]))]
        self.app = self.r.choice(apps)
        self.name = self.r.choice(["app.grain", "app.grain", "%p.grain", "a%pb"])
        self.old = self.r.random() < 0.5

    def __str__(self):
        return f"{self.plans} of {self.app.name} into {self.name}{', over an older one' if self.old else ''}"

    def start(self, i):
        command = [self.app, f"i{i}", self.plans[i]]
        if len(self.plans) > 1:
            # At once: a run that is over before the other one begins is an earlier one, whose recording is replaced.
            command = ["sh", "-c", f"{self.app} i{i} '{self.plans[i]}'; touch done{i}; while [ -e hold ]; do sleep 0.02; done"]
        return subprocess.Popen([EINKORN, "record", *(["--no-report"] if self.r.random() < 0.7 else []), "-o", self.name, "--", *command], cwd=self.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, pass_fds=[self.alive],
                                env=environment({"LEDGER": str(self.folder / "ledger"), "OMP_NUM_THREADS": "2"}))

    def wait_for_all(self, ended):
        """Waits until no process has the pipe, and nobody writes a recording."""
        os.close(self.alive)
        if not select.select([ended], [], [], 120)[0]:
            raise Trouble("a process does not end")
        os.close(ended)
        for file in self.folder.glob("*"):
            with open(file, "rb") as opened:
                for attempt in range(6000):
                    try:
                        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        if attempt == 5999:
                            raise Trouble(f"{file.name} is not finished") from None
                        time.sleep(0.02)

    def execute(self):
        ledger = self.folder / "ledger"
        ledger.write_text("")
        if self.old:
            (self.folder / "app.grain").write_bytes(b"EINKORN\nof an earlier run")
        ended, self.alive = os.pipe()
        hold = self.folder / "hold"
        hold.touch()
        tools = [self.start(i) for i in range(len(self.plans))]
        told = []
        while len(tools) > 1 and len(list(self.folder.glob("done?"))) < len(tools):
            if any(tool.poll() is not None for tool in tools):
                raise Trouble("a tool ended before its program")
            time.sleep(0.01)
        hold.unlink()
        for tool in tools:
            try:
                told.append(tool.communicate(timeout=300)[1])
            except subprocess.TimeoutExpired:
                tool.kill()
                raise Trouble("it hangs") from None
        self.wait_for_all(ended)
        expected = {}  # (process, image) -> regions
        for line in ledger.read_text().splitlines():
            process, image, regions = line.split()
            expected[int(process), image] = max(int(regions), expected.get((int(process), image), 0))
        found = defaultdict(list)
        sessions = {}
        for file in self.folder.iterdir():
            if file.name in ["ledger", "done0", "done1"]:
                continue
            if file.name.endswith(".new"):
                raise Trouble(f"{file.name} is left")
            if file.read_bytes() == b"EINKORN\nof an earlier run":
                continue
            session, process = header_of(file)
            done = subprocess.run([EINKORN, "report", file, "--json"], capture_output=True, text=True, timeout=300, check=False)
            if done.returncode:
                raise Trouble(f"{file.name}: {done.stderr}")
            report = json.loads(done.stdout)
            if report["damaged_blocks"] or not report["complete"] or report["lost_tasks"] + report["lost_chunks"]:
                raise Trouble(f"{file.name}: " + str({k: report[k] for k in ["complete", "damaged_blocks", "lost_tasks", "lost_chunks"]}))
            found[process, report["argv"][1]].append((report["regions"], file.name))
            sessions[str(file)] = report["argv"][1].split(".")[0], session
        for key, regions in expected.items():
            why = [line for text in told for line in text.splitlines() if "not record" in line]
            if len(found.get(key, [])) != 1 and not why:
                raise Trouble(f"process {key} with {regions} regions has {found.get(key)}; files {sorted(sessions)}; told: {told}")
            for recorded, name in found.get(key, []):
                # A process killed from outside may not have noted its last region.
                if not regions <= recorded <= regions + ("K" in "".join(self.plans)):
                    raise Trouble(f"{name}: {recorded} regions of {regions}")
        for key, files in found.items():
            if key not in expected and any(regions > 1 for regions, _ in files):
                raise Trouble(f"{files} of a process that did nothing: {key}")
        for i, text in enumerate(told):
            own = {file for file, (image, _) in sessions.items() if image == f"i{i}"}
            if len({sessions[file][1] for file in own}) > 1:
                raise Trouble(f"run {i} has several sessions")
            first, further = re.search(r"recorded in (\S+)", text), re.search(r"recorded, in (.*)", text)
            names = {first[1]} if first else set()
            names |= set(further[1].split()) - {"..."} if further else set()
            # The tool does not wait for children whose parent did not wait for them.
            all_told = len(own) <= 11 and not set(self.plans[i]) & set("([v")
            if not names <= own or (all_told and names != own):
                raise Trouble(f"run {i} tells of {sorted(names)}, has {sorted(own)}: {text}")
        return len(expected), Counter("".join(self.plans))


def compile_programs(folder):
    (folder / "app.c").write_text(PROGRAM)
    apps = []
    for compiler in ["gcc", CLANG]:
        apps.append(folder / f"app-{compiler}")
        subprocess.run([compiler, "-O1", "-w", "-fopenmp", "app.c", "-o", apps[-1]], cwd=folder, check=True)
    return apps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    options = parser.parse_args()
    processes, letters, failed = 0, Counter(), 0
    with tempfile.TemporaryDirectory(prefix="endings-") as base:
        apps = compile_programs(Path(base))
        for number in range(options.first, options.first + options.runs):
            folder = Path(base) / str(number)
            folder.mkdir()
            run = Run(folder, apps, options.seed, number)
            try:
                n, of = run.execute()
            except Trouble as trouble:
                failed += 1
                print(f"run {number}: {trouble}\n  {run}", flush=True)
                continue
            processes += n
            letters += of
    print(f"{options.runs} runs, {processes} processes that used OpenMP, {failed} failed; " + " ".join(f"{c}:{n}" for c, n in sorted(letters.items())))
    sys.exit(failed > 0 or processes == 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""OMPT: our header against LLVM's, a tool that knows what must happen, an existing tool (Archer) with gcc's programs, and
the recorder as a tool.

usage: tools.py header|counts|archer|races|recorder|control --build DIR
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ARCHER = "/usr/lib/llvm-19/lib/libarcher.so"


def run(command, **settings):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **settings)


def must(command, **settings):
    done = run(command, **settings)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def header(_build, work):
    """Every enumerator, and size and offsets of every struct, as LLVM's header has them."""
    ours = (ROOT / "include/omp-tools.h").read_text(encoding="utf-8").split("/* ---- Einkorn's extensions")[0]
    names = re.findall(r"^\s+(omp[td]_\w+)\s*=", ours, re.M)
    structs = re.findall(r"typedef (?:struct|union) \w+ \{(.*?)\} (\w+);", ours, re.S)
    lines = [f'  printf("{name} %lld\\n", (long long)(int){name});' for name in names if name != "ompt_callback_master"]
    for body, name in structs:
        lines.append(f'  printf("{name} %zu\\n", sizeof({name}));')
        for member in re.findall(r"(\w+);", body):
            lines.append(f'  printf("{name}.{member} %zu\\n", offsetof({name}, {member}));')
    for function in re.findall(r"typedef [\w ]+\*?\(\*(ompt_\w+_t)\)", ours):
        lines.append(f'  {{ {function} f = 0; (void)f; }}')
    source = work / "header.c"
    source.write_text("#include <omp-tools.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
    texts = []
    # clang finds its own header by itself.
    for compiler in (["gcc", "-I", ROOT / "include"], ["clang-19"]):
        program = work / "header"
        must([*compiler, "-Werror=implicit", source, "-o", program])
        texts.append(must([program]).splitlines())
    wrong = [pair for pair in zip(*texts) if pair[0] != pair[1]]
    if wrong or len(names) < 150 or not structs:
        sys.exit(f"{len(names)} enumerators, {len(structs)} structs; different from LLVM's: {wrong}")
    print(f"{len(texts[0])} values as in LLVM's header")


def under_ours(build):
    return dict(os.environ, LD_LIBRARY_PATH=str(build / "lib"))


def counts(build, work):
    for compiler in ("gcc", "clang-19"):
        for level in ("-O0", "-O2"):
            program = work / "counts"
            must([compiler, "-fopenmp", level, "-g", "-rdynamic", "-I", ROOT / "include", "-L", build / "lib",
                  HERE / "tools/counts.c", "-o", program])
            for policy in ("", "passive"):
                done = run([program], env=dict(under_ours(build), OMP_WAIT_POLICY=policy or "active"))
                if done.returncode or done.stdout != "ok\n":
                    sys.exit(f"{compiler} {level} {policy}: status {done.returncode}\n{done.stdout}{done.stderr}")
    print("both compilers: the tool heard of all that happened")


def archer(build, work):
    """Archer tells ThreadSanitizer what OpenMP orders. Without it a correct program is full of alarms; with it only the
    program that has a race gets one."""
    if not os.path.exists(ARCHER):
        sys.exit(f"{ARCHER} is missing: apt-get install libomp-19-dev")
    program = work / "race"
    must(["gcc", "-O1", "-g", "-fopenmp", "-fsanitize=thread", HERE / "tools/race.c", "-o", program])
    alarms = {}
    for tool in ("", ARCHER):
        for argument in ([], ["race"]):
            env = dict(under_ours(build), TSAN_OPTIONS="ignore_noninstrumented_modules=1", ARCHER_OPTIONS="verbose=1",
                       OMP_TOOL_LIBRARIES=tool, OMP_TOOL="enabled" if tool else "disabled")
            done = run([program, *argument], env=env)
            alarms[bool(tool), bool(argument)] = done.stderr.count("WARNING: ThreadSanitizer")
            if tool and "Archer detected OpenMP application" not in done.stdout + done.stderr:
                sys.exit(f"Archer was not started\n{done.stdout}{done.stderr}")
    if alarms[True, False] or not alarms[True, True] or not alarms[False, False]:
        sys.exit(f"alarms by (Archer, race): {alarms}")
    print(f"alarms by (Archer, race): {alarms}")


def alarm(program, kind, way, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_"))}
    env.update(OMP_NUM_THREADS="4", TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=0 atexit_sleep_ms=0", **settings)
    done = run([program, kind, way], env=env)
    if done.returncode:
        sys.exit(f"{program} {kind} {way} {settings}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return "WARNING: ThreadSanitizer" in done.stderr, done.stdout + done.stderr


# What Archer itself takes for a race, under LLVM's library, too: it is not told of reductions of tasks and of doacross loops.
ARCHERS = {"reduction_outside", "doacross"}
# Races that are seen only where the threads happen to meet, under LLVM's library, too.
SELDOM = {"loop_dynamic", "two_names", "locks"}


def races(build, work):
    """Programs built with -fsanitize=thread load Archer by themselves, wherever LLVM's library would, and no other program
    does. What LLVM's library lets it find is found here, and race-free programs get no alarm."""
    source = HERE / "tools/races.c"
    ours = {"LD_LIBRARY_PATH": str(build / "lib")}
    must(["clang-19", "-O1", "-g", "-fopenmp", "-fsanitize=thread", source, f"-Wl,-rpath,{os.path.dirname(ARCHER)}", "-o", work / "clang"])
    must(["gcc", "-O1", "-g", "-fopenmp", "-fsanitize=thread", source, "-o", work / "gcc"])
    must(["gcc", "-O1", "-g", "-fopenmp", source, "-o", work / "plain"])
    for program, finds in (("clang", True), ("gcc", True), ("plain", False)):
        said = alarm(work / program, "two_tasks", "free", ARCHER_OPTIONS="verbose=1", EINKORN_STATS="-", **ours)[1]
        if ("Archer detected OpenMP application" in said, '"schedule":"deferred"' in said) != (finds, finds):
            sys.exit(f"{program}: {'Archer or its schedule is missing' if finds else 'Archer or its schedule is there'}\n{said}")
    chosen = alarm(work / "gcc", "two_tasks", "free", EINKORN_SCHEDULE="ws", EINKORN_STATS="-", **ours)[1]
    switched_off = alarm(work / "gcc", "two_tasks", "free", ARCHER_OPTIONS="enable=0 verbose=1", **ours)[1]
    if '"deferred"' in chosen or "Archer disabled" not in switched_off or "Archer detected" in switched_off:
        sys.exit(f"the user's choice does not count:\n{chosen}\n{switched_off}")
    wrong, seen = [], {}
    for kind in must([work / "plain", "list"]).split():
        here = [alarm(work / "clang", kind, "race", **ours)[0] for _ in range(2)]
        there = [alarm(work / "clang", kind, "race")[0] for _ in range(2)]
        false = [alarm(work / "clang", kind, "free", **ours)[0] for _ in range(2)]
        seen[kind] = (sum(here), sum(there), sum(false))
        # On a busy machine a thread may come so late that another one takes its task.
        if not any(here) and any(there) and kind not in SELDOM and not any(alarm(work / "clang", kind, "race", **ours)[0] for _ in range(8)):
            wrong.append(f"{kind}: no race is found")
        if any(false) and kind not in ARCHERS:
            wrong.append(f"{kind}: an alarm in the race-free program")
    if wrong:
        sys.exit("\n".join(wrong) + f"\nraces here, under LLVM's library, false alarms here, of 2 runs: {seen}")
    print(f"races here, under LLVM's library, false alarms here, of 2 runs: {seen}")


def recorder(build, work):
    """The recorder as a tool, on LLVM's runtime and on ours, counts the grains that our runtime records itself."""
    einkorn = build / "bin/einkorn"
    for compiler in ("gcc", "clang-19"):
        program = work / "grains"
        must([compiler, "-O1", "-g", "-fopenmp", HERE / "tools/grains.c", "-o", program])
        ways = {
            "ours": ([einkorn, "record", "--no-report", "-o", work / f"{compiler}-ours.grain", "--", program], {}),
            "libomp": ([einkorn, "record", "--no-report", "--runtime", "libomp", "-o", work / f"{compiler}-libomp.grain", "--", program], {}),
            "tool": ([program], {"LD_LIBRARY_PATH": build / "lib", "EINKORN_TOOL_RECORD": work / f"{compiler}-tool.grain",
                                 "OMP_TOOL_LIBRARIES": build / "lib/libeinkorn-ompt.so"}),
        }
        seen = {}
        for way, (command, env) in ways.items():
            out = must(command, env=dict(os.environ, **{k: str(v) for k, v in env.items()}))
            report = json.loads(must([einkorn, "report", work / f"{compiler}-{way}.grain", "--json"]))
            absent = "absent" in report
            creation = [s for s in report["sources"] if s["construct"] == "task" and "mean_creation_seconds" in s]
            if out.split() != ["144"] or absent != (way != "ours") or bool(creation) != (way == "ours"):
                sys.exit(f"{compiler} {way}: output {out!r}, absent: {report.get('absent')}, creation costs: {creation}")
            seen[way] = (report["tasks"], report["chunks"], report["regions"], report["complete"])
            if not report["runtime"].lower().startswith("llvm" if way == "libomp" else "einkorn"):
                sys.exit(f"{compiler} {way}: runtime {report['runtime']}")
        if len(set(seen.values())) != 1:
            sys.exit(f"{compiler}: tasks, chunks, regions, complete: {seen}")
        print(f"{compiler}: {seen['ours']} on all ways")
    must(["clang-19", "-fopenmp", HERE / "tools/leave.c", "-o", work / "leave"])
    for runtime in ([], ["--runtime", "libomp"]):
        out = work / f"leave{len(runtime)}.grain"
        done = run([einkorn, "record", "--no-report", "-o", out, *runtime, "--", work / "leave"])
        report = json.loads(must([einkorn, "report", out, "--json"]))
        if (done.returncode, report["chunks"], report["regions"], report["complete"]) != (3, 8, 1, True):
            sys.exit(f"exit() in a region, {runtime}: status {done.returncode}, {report['chunks']} chunks, {report['regions']} regions, "
                     f"complete: {report['complete']}")
    # What LLVM's library cannot load is told before.
    source = work / "new.c"
    source.write_text("#include <omp.h>\nint main(void) { return omp_get_max_teams() < 0; }\n")
    must(["gcc", "-fopenmp", source, "-o", work / "new"])
    done = run([einkorn, "record", "--runtime", "libomp", "-o", work / "new.grain", "--", work / "new"])
    if done.returncode != 126 or "OMP_5.1" not in done.stderr:
        sys.exit(f"a program that needs OMP_5.1: status {done.returncode}\n{done.stderr}")


def control(build, work):
    """omp_control_tool() reaches the recorder: what a program flushed is in the file although it is killed then (but not the
    count of what was made in a pause, which stands at the end); what comes after an end is not."""
    einkorn, program = build / "bin/einkorn", work / "control"
    must(["clang-19", "-O1", "-g", "-fopenmp", HERE / "tools/control.c", "-o", program])
    tool = {"EINKORN_TOOL_RECORD": work / "control.grain", "OMP_TOOL_LIBRARIES": build / "lib/libeinkorn-ompt.so"}
    ways = {"ours": {"LD_LIBRARY_PATH": build / "lib", "EINKORN_RECORD": work / "control.grain"},
            "tool": dict(tool, LD_LIBRARY_PATH=build / "lib"),
            "libomp": dict(tool, LD_LIBRARY_PATH="/usr/lib/llvm-19/lib")}
    for way, env in ways.items():
        for what in ("flush", "end"):
            done = run([program, what], env=dict(os.environ, **{k: str(v) for k, v in env.items()}))
            report = json.loads(must([einkorn, "report", work / "control.grain", "--json"]))
            seen = (done.returncode, done.stdout.strip(), report["tasks"], report["complete"])
            # Killed after the flush: the process beside it writes the rest, so this does not tell what a flush does.
            if seen != (-9 if what == "flush" else 0, "0 0 0", 100, True):
                sys.exit(f"{way} {what}: status, answers, tasks, complete: {seen}\n{done.stderr}")
            (work / "control.grain").unlink()  # a recording is not overwritten
    done = run([program, "no"], env=under_ours(build))
    if (done.returncode, done.stdout.strip()) != (0, "-2 -2 -2"):
        sys.exit(f"nothing records: {done.returncode} {done.stdout}{done.stderr}")
    print("flush and end reach the recorder in all ways")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["header", "counts", "archer", "races", "recorder", "control"])
parser.add_argument("--build", required=True, type=pathlib.Path)
args = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    globals()[args.what](args.build.resolve(), pathlib.Path(folder))

"""The programs that ctest runs by themselves, or under user emulation in a build for another architecture, for an emulated machine."""
import json
import pathlib
import re
import subprocess

# What they open by the path that it has here: tests have it from their build.
OPENED = ["docs/grain-file.md", "src/record/format.h"]
BUILT = ["lib/libeinkorn_test_plugin.so", "share/machines/*.json"]
# The first two ask for a shell or for Python. The third moves 140,000 pages, and each move stops all emulated CPUs. The
# last one hangs, for gdb to look at.
ELSEWHERE = re.compile(r"record\.RecordDocs\.ItsCode|machine\.MachineModel\.InAFolderOfTheUsers|memory\.PageMap\.ReadersBesideMovers|"
                       r"stress\.watchdog")


def tests(build, emulator, pattern):
    """[(name, program, arguments, settings, seconds)] of those whose names match. emulator: of a user's programs; None: they need none."""
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, stdout=subprocess.PIPE, text=True)
    found = []
    for test in json.loads(done.stdout)["tests"]:
        command, properties = test.get("command", []), {p["name"]: p["value"] for p in test.get("properties", [])}
        if not command or not re.search(pattern, test["name"]) or ELSEWHERE.match(test["name"]):
            continue
        if pathlib.Path(command[0]).name != emulator if emulator else not command[0].startswith(str(build / "bin")):
            continue
        program = next(at for at, word in enumerate(command) if word.startswith(str(build)))  # after the emulator's own words
        found.append((test["name"], command[program], command[program + 1:], properties.get("ENVIRONMENT", []), properties.get("TIMEOUT", 300)))
    return found


def add_files(build, tree):
    """Programs run themselves anew, and find libraries, by the paths that they have here."""
    for path in [*(path for name in BUILT for path in build.glob(name)), *(pathlib.Path(__file__).resolve().parents[2] / name for name in OPENED)]:
        tree.add(str(path), path)

"""The entry points that fine tasks go through need no frame: frames.py [BUILD]

A task costs some 200 instructions; a frame and a call of what the fast path does not do would be ten more. So these functions
leave the fast path by jumps, with all arguments unchanged. A compiler's option, or a line after such a call, silently turns the
jump into a call: so this test disassembles the library."""
import pathlib
import re
import sys

import probes
from probes import HERE, require

# Entry point: (what it must jump to, how many registers it may save).
ENTRIES = {"GOMP_task": ({"einkorn_gomp_task_slow_path", "einkorn_gomp_task_depend", "task_of_full_queue"}, 1),
           "__kmpc_omp_task": ({"task_slow_path", "task_of_full_queue", "task_less_usual"}, 0)}


def functions(library):
    """{name: [instruction]}, for each symbol; parts that the compiler separated (.cold) are symbols of their own."""
    text = probes.execute(["objdump", "-d", "--no-show-raw-insn", "--no-addresses", library])
    parts = re.split(r"^<([^>]+)>:\n", text, flags=re.M)
    found = {}
    for name, body in zip(parts[1::2], parts[2::2]):
        found.setdefault(name.split("@")[0], []).extend(line.strip() for line in body.splitlines() if line.startswith("\t"))
    return found


def faults(name, instructions, targets, saved):
    """What is wrong with that entry point, including its cold part."""
    require(instructions, f"{name}: not in the library")
    found = [f"{name} calls instead of jumping: {i}" for i in instructions if i.startswith("call")]
    found += [f"{name} makes a frame: {i}" for i in instructions
              if re.match(r"(sub|and|lea|enter)\b.*%rsp$|mov +%rsp,%rbp|push +%rbp", i)]
    pushes = [i for i in instructions if i.startswith("push")]
    if len(pushes) > saved:
        found.append(f"{name} saves {len(pushes)} registers: {', '.join(pushes)}")
    jumps = "\n".join(i for i in instructions if i.startswith("j"))
    found += [f"{name} does not jump to {target}()" for target in sorted(targets)
              if not re.search(rf"^jmp .*<(_ZL\d+)?{target}(\.|>|P|i)", jumps, re.M)]
    return found


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build").resolve()
    all_functions = functions(build / "lib" / "libgomp-einkorn.so")
    complaints = []
    for name, (targets, saved) in ENTRIES.items():
        instructions = all_functions.get(name, []) + all_functions.get(f"{name}.cold", [])
        print(f"{name}: {len(instructions)} instructions")
        complaints += faults(name, instructions, targets, saved)
    return complaints


probes.run(main)

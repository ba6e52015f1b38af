"""What the report says of a recording of program.c, whatever machine it was made on."""
import json
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "program.c"
TASKS, CHUNKS, REGIONS = 200, 16, 3
TASK_WORK, CHUNK_WORK = 2000, 4 * 5000  # of their loops, in iterations


def line_of(mark):
    lines = SOURCE.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))


def report(tool, recording, symbols=None):
    """TOOL: its path, or the words that run it."""
    command = [*(tool if isinstance(tool, list) else [tool]), "report", "--json", *(["--symbols", str(symbols)] if symbols else []), str(recording)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def check(test, said):
    """Counts, lines and names exactly; times as far as they are known beside each other."""
    test.assertTrue(said["complete"])
    test.assertEqual((said["tasks"], said["chunks"], said["regions"]), (TASKS, CHUNKS, REGIONS))
    test.assertEqual((said["damaged_blocks"], said["lost_tasks"], said["lost_chunks"]), (0, 0, 0))
    found = {s["construct"]: s for s in said["sources"] if s["kind"] in ("task", "chunk")}
    test.assertEqual({k: (s["function"], Path(s["file"]).name, s["line"], s["grains"]) for k, s in found.items()},
                     {"task": ("make_tasks", "program.c", line_of("task"), TASKS),
                      "loop": ("share_loop", "program.c", line_of("loop"), CHUNKS)})
    # Known by the address that its call returns to.
    waits = {s["construct"]: (s.get("function"), s.get("line")) for s in said["waits"]}
    test.assertEqual(waits.get("barrier"), ("main", line_of("barrier")), waits)
    # By a clock whose rate is misread all times are wrong by the same factor: the wall time, which two clocks tell, is not.
    test.assertGreater(said["wall_seconds"], 0)
    for source in found.values():
        test.assertGreater(source["exec_seconds"], 0)
        test.assertLess(source["exec_seconds"], 2 * said["wall_seconds"])
    chunk, task = found["loop"]["median_seconds"], found["task"]["median_seconds"]
    test.assertLess(abs(chunk / task / (CHUNK_WORK / TASK_WORK) - 1), 0.5)

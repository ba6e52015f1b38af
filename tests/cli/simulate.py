"""einkorn simulate: a recorded program with other numbers of threads and other schedules; programs of the literature; refusals."""
import json
import subprocess
import unittest
import xml.etree.ElementTree
from pathlib import Path

from harness import EINKORN, CliTest

# 64 tasks of the same work, from one thread; before them, outside the region, the work of four of them.
WORK = r"""
#include <stdio.h>
static volatile double sink;
static void work(long n) { double x = 1; for (long i = 0; i < n; ++i) x = x * 0.999999 + 1e-9; sink = x; }
int main(void) {
  work(4 * 400000L);
  #pragma omp parallel num_threads(1)
  #pragma omp single
  for (int i = 0; i < 64; ++i)
    #pragma omp task
    work(400000L);
  return 0;
}
"""

ANY_TEAM = WORK.replace(" num_threads(1)", "")

# Tasks of some nanoseconds.
FIB = r"""
static int fib(int n) {
  int x, y;
  if (n < 2) return n;
  #pragma omp task shared(x)
  x = fib(n - 1);
  y = fib(n - 2);
  #pragma omp taskwait
  return x + y;
}
int main(void) {
  int n = 0;
  #pragma omp parallel
  #pragma omp single
  n = fib(22);
  return n == 17711 ? 0 : 1;
}
"""


# Four tasks, each on a node of its own, write a part first; then, eight times, a task on that node reads it.
PARTS = r"""
#include <ompx_locality.h>
#include <stdlib.h>
enum { kPart = 1 << 20 };
static volatile double sink;
static void part(double *p, int write) { double x = 0; for (int i = 0; i < kPart / 8; ++i) if (write) p[i] = i; else x += p[i]; sink = x; }
int main(void) {
  char *all = aligned_alloc(4096, 4 * kPart);
  #pragma omp parallel num_threads(1)
  #pragma omp single
  for (int round = 0; round < 9; ++round) {
    for (int i = 0; i < 4; ++i) {
      double *p = (double *)(all + i * kPart);
      ompx_task_footprint(p, kPart, round ? OMPX_READ : OMPX_WRITE);
      ompx_next_task_affinity(i);
      #pragma omp task firstprivate(p)
      part(p, round == 0);
    }
    #pragma omp taskwait
  }
  return 0;
}
"""


def einkorn(*args):
    return subprocess.run([EINKORN, *map(str, args)], capture_output=True, text=True, timeout=120)


class SimulateTest(CliTest):
    def record(self):
        self.kept("work", "app.grain")
        report = json.loads(einkorn("report", self.folder / "app.grain", "--json").stdout)
        self.assertTrue(report["times_valid"])
        return report

    def test_a_recording(self):
        report = self.record()
        done = einkorn("simulate", self.folder / "app.grain", "--machine", "numa:2 core:8", "--threads", "1,4,16", "--schedule", "ws", "domains-strict", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads(done.stdout)
        self.assertTrue(out["predicted"])
        self.assertEqual([(p["schedule"], p["threads"]) for p in out["points"]],
                         [(s, n) for s in ("ws", "domains-strict") for n in (1, 4, 16)])
        work, serial = out["work_seconds"], out["serial_seconds"]
        near = 0.02 * work + report["thread_time"].get("offcpu", 0)  # a grain's time is not told from what was taken from it
        self.assertAlmostEqual(work, report["thread_time"]["work"] + report["thread_time"]["serial"], delta=near)
        self.assertAlmostEqual(serial, report["thread_time"]["serial"], delta=near)
        for p in out["points"]:
            # The time of memory is not known: a range, never a point. At its far end all time is memory, and a node has
            # the bandwidth of one core.
            self.assertNotIn("wall_seconds", p)
            low, high = p["wall_seconds_range"]
            self.assertEqual(p["compute_wall_seconds"], low)
            # In valid recordings threads are off the CPU for at most 5 % of their time, and two runs differ by 3 %.
            for got, wanted in zip(p["wall_seconds_within"], (0.95 * low, 1.08 * high)):
                self.assertAlmostEqual(got, wanted, delta=1e-9)
            if p["schedule"] == "ws":
                self.assertGreaterEqual(high, serial + (work - serial) / min(2, p["threads"]) * 0.99)
            p["wall_seconds"] = low
            self.assertGreaterEqual(p["wall_seconds"], max(p["critical_path_seconds"], work / p["threads"]) * (1 - 1e-9))
            if p["schedule"] == "ws":  # 64 like tasks on 1, 4, 16 threads: no thread has more than one task more than another
                longest = p["critical_path_seconds"] - serial
                self.assertLessEqual(p["wall_seconds"], (serial + (work - serial) / p["threads"] + longest) * 1.02)
        strict = out["points"][5]
        self.assertGreater(strict["wall_seconds"], 1.2 * out["points"][2]["wall_seconds"])  # the tasks stay on their creator's node
        again = einkorn("simulate", self.folder / "app.grain", "--machine", "numa:2 core:8", "--threads", "1,4,16", "--schedule", "ws", "domains-strict", "--json")
        self.assertEqual(again.stdout, done.stdout)

    def test_it_is_told_of_which_program(self):
        file = self.kept("work", "app.grain")
        self.assertEqual(json.loads(self.einkorn("simulate", file, "--machine", "core:2", "--json").stdout)["program"], "app")
        self.assertRegex(self.einkorn("simulate", file, "--machine", "core:2").stdout, r"^app on core:2 \(predicted\)")

    def test_a_range_is_drawn_as_one(self):
        report = self.record()
        svg = self.folder / "plot.svg"
        done = einkorn("simulate", self.folder / "app.grain", "--machine", "nehalem-ex-4x8", "--threads", "1,32", "--schedule", "ws", "mts",
                       "--plot", svg, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = json.loads(done.stdout)["points"]
        bands = [e for e in xml.etree.ElementTree.parse(svg).getroot().iter() if e.get("class") == "band"]
        self.assertEqual(len(bands), 2)
        for p in points:
            low, high = p["speedup_range"]
            self.assertIn(f"{low:.2f} to {high:.2f} with {p['threads']} threads", svg.read_text())

    def test_another_program(self):
        report = self.record()
        [line] = {s["line"] for s in report["sources"] if s.get("construct") == "task"}
        file = self.folder / "app.grain"

        def wall(*options):
            done = einkorn("simulate", file, "--threads", "1", "--json", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["points"][0]["wall_seconds_range"][0]

        tasks = sum(s["exec_seconds"] for s in report["sources"] if s.get("construct") == "task")
        self.assertAlmostEqual(wall() - wall("--what-if", f"line=app.c:{line},speedup=4"), 0.75 * tasks, delta=0.02 * tasks)
        self.assertLess(wall("--cutoff", "depth=0"), wall())  # calls cost nothing
        for options, word in (
            (["--what-if", f"line=app.c:{line}"], "FILE:LINE"),
            (["--what-if", f"line=app.c:{line + 1},speedup=2"], str(line)),
            (["--what-if", "line=other.c:1,speedup=2"], "other.c"),
            (["--what-if", f"line=app.c:{line},speedup=-2"], "FILE:LINE"),
            (["--cutoff", "3"], "depth=N"),
        ):
            done = einkorn("simulate", file, *options)
            self.assertEqual(done.returncode, 125, options)
            self.assertIn(word, done.stderr)
        self.assertEqual(einkorn("simulate", "--program", "flat:10:4", "--cutoff", "depth=1").returncode, 125)

    def test_the_prediction_as_a_recording(self):
        report = self.record()
        file, predicted = self.folder / "app.grain", self.folder / "predicted.grain"
        done = einkorn("simulate", file, "--threads", "4", "--machine", "numa:2 core:2", "-o", predicted, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        [point] = json.loads(done.stdout)["points"]
        there = json.loads(einkorn("report", predicted, "--json").stdout)
        self.assertEqual(there["predicted"], "4 threads on numa:2 core:2 under ws, all of it compute: the end of a range without memory")
        self.assertIn("the end at which all time is compute", done.stderr)
        self.assertTrue(there["complete"])
        self.assertEqual(there["tasks"], report["tasks"])
        self.assertEqual(there["threads"], 4)
        self.assertAlmostEqual(there["wall_seconds"], point["wall_seconds_range"][0], delta=1e-8)
        self.assertAlmostEqual(there["thread_time"]["work"], point["work_seconds"] - there["thread_time"]["serial"], delta=1e-6)
        before, after = ({(s["line"], s["kind"]): s["exec_seconds"] for s in r["sources"] if s["kind"] == "task"} for r in (report, there))
        self.assertEqual(before.keys(), after.keys())
        for line, seconds in before.items():
            self.assertAlmostEqual(after[line], seconds, delta=1e-6)
        self.assertIn("predicted, not recorded", einkorn("report", predicted).stdout)
        matched = json.loads(einkorn("compare", file, predicted, "--json").stdout)
        self.assertGreater(matched["matched"]["share_of_work"], 0.95)
        for options in (["--threads", "1,2"], ["--threads", "1", "--schedule", "ws", "mts"]):
            self.assertEqual(einkorn("simulate", file, *options, "-o", predicted).returncode, 125)
        done = einkorn("simulate", file, "--threads", "1", "-o", self.folder / "no" / "such.grain")
        self.assertEqual(done.returncode, 125)
        self.assertIn("cannot write", done.stderr)

    def test_a_second_recording(self):
        one, two = self.kept("any_team-one", "1.grain"), self.kept("any_team-two", "2.grain")
        reports = [json.loads(einkorn("report", file, "--json").stdout) for file in (one, two)]
        self.assertEqual([report["times_valid"] for report in reports], [True, True])
        done = einkorn("simulate", one, "--with", one, "--machine", "core:2", "--threads", "2")
        self.assertEqual(done.returncode, 125)
        self.assertIn("different numbers", done.stderr)
        done = einkorn("simulate", one, "--with", two, "--machine", "core:2", "--threads", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads(done.stdout)
        [point] = out["points"]
        low, high = point["wall_seconds_range"]  # two runs settle it to some percent only
        self.assertTrue(low <= point["wall_seconds"] <= high, point)
        self.assertLess(point["wall_seconds_within"][0], low)
        self.assertGreater(point["wall_seconds_within"][1], high)
        self.assertIn("two runs of one program differ", einkorn("simulate", one, "--with", two, "--machine", "core:2", "--threads", "2").stdout)
        self.assertLess(out["unknown_memory_share"], 0.01)  # what ran outside of regions runs alone, whatever it waits for
        tasks = sum(s["exec_seconds"] for s in reports[0]["sources"] if s.get("construct") == "task")
        self.assertGreater(point["wall_seconds"], 0.98 * (out["serial_seconds"] + tasks / 2))

    def test_the_fewest_threads(self):
        """64 equal tasks by two threads, before them what four of them take: one thread takes (4 + 64) / (4 + 32) = 1.89 times as long.
        One recording does not tell how much of that is memory's; two do."""
        one, two = self.kept("any_team-one", "1.grain"), self.kept("any_team-two", "2.grain")
        def fewest(percent, *options):
            done = self.einkorn("simulate", two, "--fewest", percent, "--machine", "core:4", *options)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout
        asked = "Predicted under ws, of 2 threads recorded, at most 5 % more time: "
        self.assertEqual(fewest("5", "--with", one), asked + "all are needed.\n")
        self.assertRegex(fewest("5"), rf"^{asked}1 thread may do \(\S+ to \+8\d\.\d %\), no fewer than all surely do\.\n$")
        self.assertRegex(fewest("150", "--with", one), r"at most 150 % more time: 1 thread \(\+.* %\)\.\n$")
        told = json.loads(fewest("150", "--with", one, "--json"))
        self.assertEqual((told["recorded_threads"], told["may"]["threads"], told["sure"]["threads"]), (2, 1, 1))
        for end in told["sure"]["predicted_percent"]:
            self.assertAlmostEqual(end, 89, delta=12)
        for options, words in [(["--threads", "2"], "one recording under one schedule"), (["--schedule", "ws", "mts"], "one schedule"),
                               (["--plot", "a.svg"], "--plot"), (["--model", "roofline"], "--model"), (["--machine", "core:1"], "has 1 CPU"), (["--fewest", "nan"], "nan")]:
            self.assert_refused(self.einkorn("simulate", two, *(["--fewest", "5"] if "--fewest" not in options else []), *options), 125, words)
        self.assert_refused(self.einkorn("simulate", one, "--fewest", "5", "--machine", "core:4"), 125, "it has one thread")
        self.assert_refused(self.einkorn("simulate", self.kept("fib", "fib.grain"), "--fewest", "5", "--machine", "core:4"), 125, "nothing can be said")

    def test_footprints(self):
        file = self.kept("parts", "parts.grain")  # made as on that machine
        # In such a run concurrency means nothing, but the length of each grain does.
        done = einkorn("simulate", file, "--machine", "nehalem-ex-4x8", "--threads", "1,32", "--schedule", "domains-strict", "ws", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        strict, ws = (json.loads(done.stdout)["points"][i] for i in (1, 3))
        for p in (strict, ws):
            self.assertEqual(p["bytes"], 4 * 9 << 20)
        # Each part is written and read on its own node, and fits into its cache: eight times out of nine it is in it.
        self.assertEqual(strict["remote_bytes"], 0)
        self.assertEqual(strict["cached_bytes"], 4 * 8 << 20)
        # Work outside the tasks tells nothing of memory: a narrow range, if it is more than 1 % of so short a program.
        low, high = strict.get("wall_seconds_range") or (strict["wall_seconds"],) * 2
        self.assertLessEqual(high, 1.1 * low)
        far = einkorn("simulate", file, "--machine", "nehalem-ex-4x8", "--threads", "32", "--schedule", "domains-strict", "--placement", "node:0", "--json")
        self.assertEqual(json.loads(far.stdout)["points"][0]["remote_bytes"], 3 << 20)

    def test_placement(self):
        def bytes_of(*options):
            done = einkorn("simulate", "--program", "cholesky:8:64:1", "--machine", "nehalem-ex-4x8", "--threads", "32", "--json", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["points"][0]

        for placement in ("first-touch", "fine", "interleaved", "coarse", "blocked", "cyclic:32768", "nearest", "node:3", "first-touch,next-touch", "node:0,migrate:2"):
            self.assertGreater(bytes_of("--placement", placement)["bytes"], 0, placement)
        for placement, word in (("near", "first-touch"), ("node:4", "4 memory nodes")):
            done = einkorn("simulate", "--program", "cholesky:8:64:1", "--machine", "nehalem-ex-4x8", "--placement", placement)
            self.assertEqual(done.returncode, 125)
            self.assertIn(word, done.stderr)

    def test_tasks_too_fine_for_a_cutoff(self):
        """As calls they take a nanosecond or two, but their recorded times are mostly the recorder's own."""
        recording = self.kept("fib", "fib.grain")
        done = einkorn("simulate", recording, "--threads", "1", "--cutoff", "depth=4")
        self.assertEqual(done.returncode, 125, done.stdout)
        self.assertIn("record it", done.stderr)
        sources = json.loads(einkorn("report", recording, "--json").stdout)["sources"]
        task = next(s for s in sources if s.get("construct") == "task")
        done = einkorn("simulate", recording, "--threads", "1", "--what-if", f"line={Path(task['file']).name}:{task['line']},speedup=2")
        self.assertEqual(done.returncode, 125, done.stdout)
        self.assertIn("nobody knows", done.stderr)
        self.assertIn("upper bounds", einkorn("simulate", recording, "--threads", "1").stdout)
        self.assertGreater(json.loads(einkorn("simulate", recording, "--threads", "1", "--json").stdout)["perturbed_work_share"], 0.1)

    def test_the_roofline(self):
        done = einkorn("simulate", "--program", "stencil:8:512:4:0.1", "--machine", "nehalem-ex-4x8", "--threads", "1,32", "--model", "roofline", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for p in json.loads(done.stdout)["points"]:
            self.assertAlmostEqual(p["wall_seconds"], p["serial_seconds"] + p["sync_seconds"] + max(p["memory_seconds"], p["compute_seconds"]), delta=1e-12)
        self.assertGreater(p["memory_seconds"], p["compute_seconds"])
        table = einkorn("simulate", "--program", "stencil:8:512:4:0.1", "--machine", "nehalem-ex-4x8", "--threads", "1,32", "--model", "roofline").stdout
        self.assertIn("memory\n", table)
        self.assertEqual(einkorn("simulate", "--program", "flat:10:4", "--model", "roofline", "--plot", "x.svg").returncode, 125)

    def test_a_program_of_the_literature(self):
        done = einkorn("simulate", "--program", "cholesky:8:64:1", "--machine", "numa:2 core:4", "--threads", "1,8", "--schedule", "ws", "xkaapi")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(predicted)", done.stdout)
        self.assertEqual(done.stdout.count("xkaapi"), 2)

    def test_shapes(self):
        command = ["simulate", "--program", "flat:240:400000", "--machine", "ivy-bridge-2x10"]
        shapes = ["1x20", "2x10", "4x5,spread", "20x1", "1x2,3,15"]
        done = einkorn(*command, "--amm", ",".join(shapes), "--schedule", "darts-standard", "codelets", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = json.loads(done.stdout)["points"]
        self.assertEqual([(p["schedule"], p["amm"], p["threads"]) for p in points],
                         [(s, a, 2 if a[-1] == "5" else 20) for s in ("darts-standard", "codelets") for a in shapes])
        # One thread makes the tasks: where nobody steals only its cluster runs them.
        times = [p["wall_seconds"] for p in points]
        for at, units in enumerate([20, 10, 5, 1, 2]):
            self.assertGreaterEqual(times[at], 240 * 400e-6 / units)
            self.assertLess(times[at], 1.5 * 240 * 400e-6 / units, shapes[at])
        self.assertLess(times[5 + 3], times[3] / 5)  # 20x1, where others may take them
        self.assertEqual(done.stderr, "")
        flat = einkorn(*command, "--amm", "2x10,4x5", "--schedule", "ws", "codelets")
        self.assertEqual(flat.returncode, 0)
        self.assertRegex(flat.stderr, r"^einkorn: --amm: the schedule ws knows no clusters: .* codelets, darts-standard, darts-steal, swarm\.\n$")
        table = einkorn(*command, "--amm", "2x10, 4x5, spread").stdout
        self.assertIn("clusters", table)
        for shape in ("2x10", "4x5,spread"):
            self.assertRegex(table, rf"(?m)^codelets +{shape} +20 ")
        self.assertEqual(len([line for line in table.splitlines() if line.startswith("codelets ")]), 2)
        self.assertEqual(einkorn(*command, "--amm", "2x10,4x5,spread").stdout, table)
        four = einkorn("simulate", "--program", "flat:100:400", "--machine", "sandy-bridge-4x6x2", "--amm", "4x12", "--json")
        self.assertEqual(json.loads(four.stdout)["points"][0]["threads"], 48)

    def test_every_program_of_the_literature(self):
        for program in ("qr:6:64", "stencil:6:64:4", "stencil-loop:6:64:4", "uts:binomial:100:0.24:4:1", "uts:geometric:3:4:7:2:50",
                        "packages:1e6:0.5", "packages-dynamic:1e6:0.5", "packages-tasks:1e6:0.5", "packages-owner-tasks:1e6:0.5"):
            done = einkorn("simulate", "--program", program, "--machine", "nehalem-ex-4x8", "--threads", "1,32", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            one, many = json.loads(done.stdout)["points"]
            self.assertGreater(many["speedup"], 2, program)
            self.assertGreater(many["speedup_at_most"], many["burdened_speedup"], program)

    def test_no_speed_up_is_above_its_bound(self):
        """Two threads have two caches: the prediction once exceeded the bound of pure computing by a percent."""
        for program in ("qr:3:200", "stencil:8:512:4", "flat:2000:0.2"):
            for row in json.loads(einkorn("simulate", "--program", program, "--machine", "nehalem-ex-4x8", "--threads", "1,2,8,32", "--schedule", "ws",
                                          "central", "--json").stdout)["points"]:
                self.assertLessEqual(row["speedup"], row["speedup_at_most"] * (1 + 1e-9), (program, row))
                self.assertLessEqual(row["speedup_at_most"], row["threads"] * 1.02, (program, row))

    def test_a_plot(self):
        svg, html = self.folder / "plot.svg", self.folder / "plot.html"
        command = ["simulate", "--program", "cholesky:8:64:1", "--machine", "nehalem-ex-4x8", "--threads", "1,8,32", "--schedule", "ws", "xkaapi", "mts,take=4"]
        done = einkorn(*command, "--plot", svg)
        self.assertEqual(done.returncode, 0, done.stderr)
        drawing = xml.etree.ElementTree.parse(svg).getroot()
        text = " ".join(drawing.itertext())
        for word in ("cholesky:8:64:1", "nehalem-ex-4x8", "threads", "xkaapi", "mts,take=4", "burdened", "prefers-color-scheme:dark"):
            self.assertIn(word, text)
        out = json.loads(einkorn(*command, "--json").stdout)
        for p in out["points"]:  # the figures for who cannot see the picture
            self.assertIn(f"{p['speedup']:.2f} with {p['threads']} threads", text)
        # A schedule's points are connected, and are higher where the speed-up is larger.
        shapes = {tag: [e for e in drawing.iter() if e.tag.endswith(tag)] for tag in ("circle", "polygon", "path")}
        self.assertEqual(len(shapes["circle"]), 3 + 1)  # and one beside the name
        heights = [float(c.get("cy")) for c in shapes["circle"][:3]]
        self.assertEqual(heights, sorted(heights, reverse=True))
        self.assertNotIn("http", svg.read_text().replace("http://www.w3.org/2000/svg", ""))
        done = einkorn(*command, "--plot", html)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = html.read_text()
        self.assertIn("<svg", page)
        self.assertIn(done.stdout.splitlines()[-1], page)  # the table is below it

    def test_what_is_not_replayed_is_said(self):
        command = ["simulate", "--program", "flat:100:400", "--machine", "core:4", "--threads", "2", "--schedule", "ws", "ws-adaptive", "mts"]
        text = einkorn(*command).stdout
        self.assertIn("Not replayed of ws-adaptive: defer=adaptive", text)
        self.assertEqual(text.count("Not replayed"), 1)
        ws, adaptive, mts = json.loads(einkorn(*command, "--json").stdout)["points"]
        self.assertIn("defer=adaptive", adaptive["not_replayed"][0])
        self.assertNotIn("not_replayed", ws)
        self.assertNotIn("not_replayed", mts)

    def test_the_recording_may_come_last(self):
        missing = self.folder / "none.grain"
        for options in (["--threads", "1"], ["--machine", "core:2", "--threads", "1,2"], ["--schedule", "ws"], ["--schedule", "ws", "mts"], ["--what-if", "line=a.c:1,speedup=2"]):
            done = einkorn("simulate", *options, missing)
            self.assertEqual(done.returncode, 125)
            self.assertIn("cannot open", done.stderr, options)
            self.assertIn("none.grain", done.stderr)

    def test_refusals(self):
        for args, word in (
            ([], "a recording, or --program"),
            (["--program", "cholesky"], "cholesky:TILES"),
            (["--program", "cholesky:1e9:4"], "ten million"),
            (["--program", "uts:binomial:2:0.5:2:1"], "has no end"),
            (["--program", "flat:10:4", "--plot", "plot.png"], ".svg or .html"),
            (["--program", "flat:10:4", "--plot", self.folder / "no" / "plot.svg"], "cannot write"),
            (["--program", "flat:10:4", "--plot", "plot.svg", "--schedule", *["ws"] * 9], "9 schedules"),
            (["--program", "flat:-1:4"], "flat:TASKS:NS"),
            (["--program", "list"], "qr:TILES:BLOCK"),
            (["--program", "flat:10:4", "--machine", "core:4", "--threads", "8"], "has 4 CPUs"),
            (["--program", "flat:10:4", "--schedule", "nosuch"], "--schedule"),
            (["--program", "flat:10:4", "--machine", "nosuch"], "--machine"),
            (["--program", "flat:10:4", "--loop", "nosuch"], "--loop"),
            ([self.folder / "none.grain"], "none.grain"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "2x2,5x1"], "5x1 wants 5 CPUs, and there are 4"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "0x2"], "has no workers"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "2by2"], "is no shape"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", ""], "--amm"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "1x2,0,9"], "names CPU 9"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "2x2", "--threads", "4"], "not with --threads"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "2x2", "--plot", "a.svg"], "not with --amm"),
            (["--program", "flat:10:4", "--machine", "core:4", "--amm", "2x2", "--model", "roofline"], "not with --amm"),
            (["--program", "flat:10:4", "--machine", "core:4", "--schedule", "codelets,amm=3x2"], "wants 6 CPUs"),
        ):
            done = einkorn("simulate", *args)
            self.assertEqual(done.returncode, 125, args)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()

"""einkorn export: each format read back by a reader that is not ours, and compared with the table of grains.

Runs in the virtual environment of ./dev (networkx, duckdb, perfetto's message definitions); otf2-print is Debian's.
"""

import csv
import json
import os
import re
import subprocess

from collections import Counter, defaultdict

from harness import CliTest, EINKORN, environment, main

import duckdb
import networkx
from perfetto.protos.perfetto.trace import perfetto_trace_pb2

# Tasks that wait for tasks, undeferred ones, pieces of a taskloop, tasks that outlive their parent, a lock inside
# tasks, chunks that create tasks, a nested region, an untied task that yields.
EVERYTHING = r"""
#include <stdio.h>
static long spin(long n) { volatile long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }
static long fib(int n) {
  if (n < 2) return spin(200), n;
  long a, b;
  #pragma omp task shared(a)
  a = fib(n - 1);
  #pragma omp task shared(b) if(n > 3)
  b = fib(n - 2);
  #pragma omp taskwait
  return a + b;
}
int main(void) {
  long f = 0, x = 0;
  #pragma omp parallel
  {
    #pragma omp single
    f = fib(10);
    #pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 50; ++i) {
      spin(1000);
      #pragma omp task
      spin(500);
    }
    #pragma omp single
    {
      #pragma omp taskloop grainsize(4)
      for (int i = 0; i < 40; ++i) spin(300);
      for (int i = 0; i < 30; ++i)
        #pragma omp task shared(x)
        {
          #pragma omp task
          spin(100);
          #pragma omp critical
          x += spin(2000) > 0;
        }
      #pragma omp task untied
      { spin(100);
        #pragma omp taskyield
        spin(100); }
    }
    #pragma omp single
    #pragma omp parallel num_threads(2)
    spin(1000);
  }
  #pragma omp task
  spin(100);
  printf("%ld %ld\n", f, x);
  return 0;
}
"""

# More rows than a page of a Parquet file has.
MANY = r"""
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 150000; ++i)
    #pragma omp task
    __asm__ volatile("");
  return 0;
}
"""


class Exports(CliTest):
    @classmethod
    def setUpClass(cls):
        # One recording for all.
        cls.holder = CliTest("setUp")
        cls.holder.setUp()
        cls.addClassCleanup(cls.holder.doCleanups)
        app = cls.holder.compile(EVERYTHING, "-g")
        done = cls.holder.einkorn("record", "--no-report", "-o", "app.grain", "--", app, env={"OMP_NUM_THREADS": "3"})
        assert done.returncode == 0, done.stderr
        cls.recording = cls.holder.folder / "app.grain"
        done = cls.holder.einkorn("export", cls.recording, "--to", "csv", "-o", "-")
        assert done.returncode == 0 and done.stderr == "", done.stderr
        cls.grains = list(csv.DictReader(done.stdout.splitlines()))

    def export(self, to, out, *more):
        done = self.einkorn("export", self.recording, "--to", to, "-o", out, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"einkorn: wrote {out}\n", done.stderr)
        return self.folder / out

    def exec_of(self, grain):
        return int(self.grains[grain]["exec_ns"] or 0)

    # ---- the table ------------------------------------------------------------------------------------------------

    def test_table(self):
        kinds = Counter(g["kind"] for g in self.grains)
        self.assertEqual(kinds["initial"], 1)
        # fib(10): 2 * (number of calls with n >= 2) = 176; 50 in chunks; 10 pieces; 60; untied; outside
        self.assertEqual(kinds["task"], 176 + 50 + 10 + 60 + 1 + 1)
        self.assertEqual(kinds["chunk"], 17)
        for number, g in enumerate(self.grains):
            self.assertEqual(int(g["grain"]), number)
            self.assertRegex(g["id"], "^[0-9a-f]{32}$")
            if g["parent"]:
                self.assertLess(int(g["parent"]), number)
            if g["kind"] == "task":
                self.assertTrue(g["file"].endswith("app.c"), g)
                self.assertGreater(int(g["line"]), 0)
        self.assertEqual(len({g["id"] for g in self.grains}), len(self.grains))

    def assert_same_table(self, folder, rows):
        """Every value of the CSV file is that of the Parquet file, by a reader of both."""
        described = duckdb.sql(f"describe select * from '{folder}/t.parquet'").fetchall()
        types = {name: kind for name, kind, *_ in described}
        with open(folder / "t.csv") as file:
            self.assertEqual(file.readline().strip().split(","), list(types))
        columns = "{" + ", ".join(f"'{n}': '{t}'" for n, t in types.items()) + "}"
        with duckdb.connect() as base:
            base.execute(f"create table p as from '{folder}/t.parquet'")
            base.execute(
                f"create table c as from read_csv('{folder}/t.csv', header = true, columns = {columns}, nullstr = '')"
            )
            differ = ", ".join(f'sum((p."{n}" is distinct from c."{n}")::int)' for n in types)
            (found,) = base.execute(f"select count(*), {differ} from p join c using (grain)").fetchall()
            self.assertEqual(dict(zip(types, found[1:])), dict.fromkeys(types, 0))
            self.assertEqual(
                [found[0]] + [base.execute(f"select count(*) from {t}").fetchall()[0][0] for t in "pc"], [rows] * 3
            )

    def test_parquet_is_the_csv(self):
        self.export("parquet", "t.parquet")
        self.export("csv", "t.csv")
        self.assert_same_table(self.folder, len(self.grains))
        meta = duckdb.sql(f"select key, value from parquet_kv_metadata('{self.folder}/t.parquet')").fetchall()
        self.assertIn(b"wall_ns", bytes(meta[0][1]))

    def test_what_was_counted_has_rows_of_its_own(self):
        """fib(10) below depth 4 is counted at the deepest tasks that are recorded."""
        app = self.compile(EVERYTHING, "-g", name="deep")
        done = self.einkorn("record", "--no-report", "--depth", "4", "-o", "deep.grain", "--", app)
        self.assertEqual(done.returncode, 0, done.stderr)
        for to in ["csv", "parquet"]:
            self.assertEqual(self.einkorn("export", "deep.grain", "--to", to, "-o", f"t.{to}").returncode, 0)
        with open(self.folder / "t.csv") as file:
            rows = list(csv.DictReader(file))
        self.assert_same_table(self.folder, len(rows))
        counted = [r for r in rows if r["kind"] == "aggregated tasks"]
        report = json.loads(self.einkorn("report", "deep.grain", "--json").stdout)
        self.assertGreater(len(counted), 0)
        self.assertEqual(sum(int(r["instances"]) for r in counted), report["aggregated_tasks"])
        self.assertEqual(sum(int(r["created"]) for r in counted), report["aggregated_tasks"])
        # Single or counted, all tasks of the other recording are there.
        tasks = sum(int(r["instances"]) for r in rows if r["kind"].endswith(("task", "tasks")))
        self.assertEqual(tasks, sum(g["kind"] == "task" for g in self.grains))
        self.assertEqual(
            sum(int(r["exec_ns"]) for r in counted), round(sum(a["exec_seconds"] for a in report["aggregates"]) * 1e9)
        )
        for number, r in enumerate(rows):
            self.assertEqual(int(r["grain"]), number)
            if r not in counted:
                self.assertEqual((r["instances"], r["created"], len(r["id"])), ("1", "", 32))
                continue
            self.assertEqual((r["id"], r["thread"], r["final"], r["depth"]), ("", "", "", ""))
            self.assertLess(int(r["parent"]), number)
            self.assertIn(rows[int(r["parent"])]["kind"], ("task", "implicit"))
            self.assertTrue(r["file"].endswith("app.c") or r["file"].endswith("deep.c"), r)
            self.assertGreater(int(r["line"]), 0)
            self.assertLessEqual(int(r["exec_least_ns"]), int(r["exec_most_ns"]))

    def test_parquet_of_many_grains_and_pages(self):
        app = self.compile(MANY, name="many")
        self.assertEqual(self.einkorn("record", "--no-report", "-o", "many.grain", "--", app).returncode, 0)
        for to in ["csv", "parquet"]:
            self.assertEqual(self.einkorn("export", "many.grain", "--to", to, "-o", f"t.{to}").returncode, 0)
        with open(self.folder / "t.csv") as file:
            rows = sum(1 for _ in file) - 1
        self.assertGreater(rows, 150000)
        self.assert_same_table(self.folder, rows)

    # ---- Perfetto -------------------------------------------------------------------------------------------------

    def test_perfetto(self):
        trace = perfetto_trace_pb2.Trace()
        trace.ParseFromString(self.export("perfetto", "t.perfetto-trace").read_bytes())
        event = perfetto_trace_pb2.TrackEvent
        threads, names, keys, strings = {}, defaultdict(dict), defaultdict(dict), defaultdict(dict)
        open_slices, last = defaultdict(list), {}
        self_time, told_exec, slices = Counter(), {}, Counter()
        begun, ended = {}, {}
        for packet in trace.packet:
            sequence = packet.trusted_packet_sequence_id
            if packet.HasField("track_descriptor") and packet.track_descriptor.HasField("thread"):
                threads[packet.track_descriptor.uuid] = packet.track_descriptor.thread.tid
            for entry in packet.interned_data.event_names:
                names[sequence][entry.iid] = entry.name
            for entry in packet.interned_data.debug_annotation_names:
                keys[sequence][entry.iid] = entry.name
            for entry in packet.interned_data.debug_annotation_string_values:
                strings[sequence][entry.iid] = entry.str.decode()
            if not packet.HasField("track_event"):
                continue
            e, t = packet.track_event, packet.timestamp
            self.assertIn(e.track_uuid, threads)
            stack = open_slices[e.track_uuid]
            self.assertGreaterEqual(t, last.get(e.track_uuid, 0))
            last[e.track_uuid] = t
            if e.type == event.TYPE_SLICE_END:
                name, grain, begin = stack.pop()
                if grain is not None:
                    self_time[grain] += t - begin
                if stack and stack[-1][1] is not None:
                    self_time[stack[-1][1]] -= t - begin
                continue
            self.assertEqual(e.type, event.TYPE_SLICE_BEGIN)
            name = names[sequence][e.name_iid]
            said = {}
            for a in e.debug_annotations:
                key = keys[sequence][a.name_iid]
                said[key] = (
                    strings[sequence][a.string_value_iid]
                    if a.HasField("string_value_iid")
                    else a.string_value if a.HasField("string_value") else a.int_value
                )
            executes = name.startswith(("task ", "share ", "chunk ", "program")) and "grain" in said
            stack.append((name, said["grain"] if executes else None, t))
            if "exec_ns" in said:
                told_exec[said["grain"]] = said["exec_ns"]
                self.assertEqual(said["id"], self.grains[said["grain"]]["id"])
            if executes and self.grains[said["grain"]]["kind"] == "task" and "id" in said:
                self.assertRegex(said["source"], r"app\.c:\d+$")
            slices[name.split()[0]] += 1
            for flow in e.flow_ids:
                self.assertTrue(name.startswith("create "))
                self.assertNotIn(flow, begun)
                begun[flow] = t
            for flow in e.terminating_flow_ids:
                self.assertNotIn(flow, ended)
                ended[flow] = t
        self.assertTrue(all(not stack for stack in open_slices.values()))
        self.assertEqual(slices["create"], sum(g["kind"] == "task" for g in self.grains))
        self.assertEqual(set(begun), set(ended))  # each task that was created began
        self.assertTrue(all(begun[f] <= ended[f] for f in begun))
        for g in range(len(self.grains)):
            if int(self.grains[g]["fragments"]):
                self.assertEqual(told_exec[g], self.exec_of(g))
                self.assertEqual(self_time[g], self.exec_of(g), self.grains[g])

    # ---- OTF2 -----------------------------------------------------------------------------------------------------

    EVENT = re.compile(r"^(\w+) +(\d+) +(\d+) +(.*)$")

    def otf2_events(self, folder):
        done = subprocess.run(["otf2-print", str(folder / "traces.otf2")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        for line in done.stdout.splitlines():
            if match := self.EVENT.match(line):
                yield match[1], int(match[2]), int(match[3]), match[4]
            elif "ADDITIONAL ATTRIBUTES" in line:
                yield "ATTRIBUTES", 0, 0, line

    def test_otf2(self):
        folder = self.export("otf2", "t.otf2")
        stack, current, last = defaultdict(list), {}, {}
        spent, grain_of, completed, created = Counter(), {}, [], []
        task_stack = defaultdict(list)  # regions by (location, task)
        pending = started = where = None
        taken, runs_on = {}, {}
        for kind, location, time, rest in self.otf2_events(folder):
            if kind == "ATTRIBUTES":
                if grain := re.search(r'"grain" <\d+>; UINT32; (\d+)', rest):
                    grain_of[pending] = int(grain[1])
                else:
                    taken[started] = (int(re.search(r'"creator" <\d+>; LOCATION; .*?<(\d+)>', rest)[1]),
                                      re.search(r'"taken from" <\d+>; STRING; "(.*?)"', rest)[1])
                    runs_on[started] = where
                continue
            self.assertGreaterEqual(time, last.get(location, 0))
            task = current.get(location, "own")
            # The time since the last event belongs to the innermost region; it is execution if that region is the
            # task's own.
            if stack[location] and stack[location][-1].startswith("task "):
                spent[task] += time - last[location]
            last[location] = time
            named = re.search(r"Creating Thread: .*?(\d+).*?Generation Number: (\d+)", rest)
            name = (int(named[1]), int(named[2])) if named else None
            if kind == "ENTER":
                region = re.search(r'Region: "(.*)" <\d+>', rest)[1]
                stack[location].append(region)
                task_stack[location, task].append(region)
            elif kind == "LEAVE":
                region = re.search(r'Region: "(.*)" <\d+>', rest)[1]
                self.assertEqual(stack[location].pop(), region)
                self.assertEqual(task_stack[location, task].pop(), region)
            elif kind == "THREAD_TASK_CREATE":
                pending = name
                created.append(name)
            elif kind == "THREAD_TASK_SWITCH":
                if task != "own":  # it has left all its regions
                    self.assertEqual(task_stack[location, task], [])
                current[location] = name if name[1] else "own"
                started, where = name, location
            elif kind == "THREAD_TASK_COMPLETE":
                self.assertEqual(name, task)
                completed.append(name)
        self.assertTrue(all(not s for s in stack.values()))
        tasks = [g for g in range(len(self.grains)) if self.grains[g]["kind"] == "task"]
        self.assertEqual(len(set(created)), len(created))
        self.assertEqual(sorted(grain_of.values()), tasks)
        self.assertEqual(sorted(completed), sorted(created))
        for name, grain in grain_of.items():
            self.assertEqual(spent[name], self.exec_of(grain), self.grains[grain])
            # Whose queue it came from; none if its creator ran it at once. Of another thread only where the nodes are
            # known: qemu's user emulation does not say on which CPU a thread runs.
            g = self.grains[grain]
            at_once = any(g[flag] == "true" for flag in ("undeferred", "included", "inlined"))
            is_known = g["creator"] == g["thread"] or (g["node"] and g["creator_node"])
            self.assertEqual(name in taken, bool(is_known and not at_once), g)
            if name in taken:
                creator, near = taken[name]
                self.assertEqual((creator, runs_on[name]), (int(g["creator"]), int(g["thread"])), g)
                same_node = g["node"] == g["creator_node"]
                self.assertEqual(near, "local queue" if g["creator"] == g["thread"] else "same node" if same_node else "remote", g)
        self.assertTrue(any(near == "local queue" for _, near in taken.values()))

    def test_an_archive_is_replaced_and_nothing_else(self):
        self.export("otf2", "t.otf2")
        self.export("otf2", "t.otf2")
        (self.folder / "thesis").mkdir()
        (self.folder / "thesis" / "thesis.tex").write_text("precious")
        done = self.einkorn("export", self.recording, "--to", "otf2", "-o", "thesis")
        self.assert_refused(done, 125, "thesis", "something else", "-o")
        self.assertEqual([f.name for f in (self.folder / "thesis").iterdir()], ["thesis.tex"])
        self.assert_refused(self.einkorn("export", self.recording, "--to", "otf2", "-o", "-"), 125, "folder", "-o")
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["t.otf2", "thesis"])

    # ---- GraphML --------------------------------------------------------------------------------------------------

    def test_graphml(self):
        whole = networkx.read_graphml(self.export("graphml", "whole.graphml", "--unreduced"))
        reduced = networkx.read_graphml(self.export("graphml", "reduced.graphml"))
        executed = [g for g in self.grains if int(g["fragments"])]
        for graph in [whole, reduced]:
            self.assertTrue(networkx.is_directed_acyclic_graph(graph))
            self.assertEqual(len([n for n in graph if graph.in_degree(n) == 0]), 1)
            weights = Counter()
            for _, n in graph.nodes(data=True):
                if n["kind"] in ("fragment", "chunk"):
                    weights[n["grain"]] += n["weight_ns"]
            for g in executed:
                self.assertEqual(weights[int(g["grain"])], int(g["exec_ns"]))
            # Every task is created once; a region creates its team.
            creations = Counter(kind for _, _, kind in graph.edges(data="kind"))["creation"]
            members = sum(g["kind"] == "implicit" for g in self.grains)
            self.assertEqual(creations, sum(g["kind"] == "task" for g in self.grains) + members)
        kinds = Counter(n["kind"] for _, n in reduced.nodes(data=True))
        self.assertEqual(kinds["fragment"] + kinds["chunk"], len(executed))
        self.assertEqual(sum(n["members"] for _, n in reduced.nodes(data=True)), whole.number_of_nodes())
        for _, n in reduced.nodes(data=True):
            if n["kind"] == "fragment" and self.grains[n["grain"]]["kind"] == "task":
                self.assertEqual(
                    (n["id"], n["line"]), (self.grains[n["grain"]]["id"], int(self.grains[n["grain"]]["line"]))
                )
        # What yEd draws: a box for every node, without overlap.
        boxes = sorted(
            (float(n["x"]), float(n["y"]), float(n["x"]) + float(n["width"]), float(n["y"]) + float(n["height"]))
            for _, n in self.yed_boxes("reduced.graphml")
        )
        self.assertEqual(len(boxes), reduced.number_of_nodes())
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                if b[0] >= a[2] - 0.01:
                    break
                self.assertFalse(a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01, (a, b))

    def yed_boxes(self, name):
        import xml.etree.ElementTree as xml

        y, g = "{http://www.yworks.com/xml/graphml}", "{http://graphml.graphdrawing.org/xmlns}"
        for node in xml.parse(self.folder / name).iter(g + "node"):
            (box,) = node.iter(y + "Geometry")
            self.assertRegex(next(node.iter(y + "Fill")).get("color"), "^#[0-9A-F]{6}$")
            yield node.get("id"), box.attrib

    def test_graphml_is_capped(self):
        done = self.einkorn("export", self.recording, "--to", "graphml", "-o", "small.graphml", "--max-nodes", "100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--max-nodes", done.stderr)
        graph = networkx.read_graphml(self.folder / "small.graphml")
        self.assertLessEqual(graph.number_of_nodes(), 100)
        self.assertTrue(networkx.is_directed_acyclic_graph(graph))
        # Nothing is lost: merged nodes have the sum of the times.
        whole = networkx.read_graphml(self.export("graphml", "whole.graphml", "--unreduced"))
        executed = [
            sum(n["weight_ns"] for _, n in g.nodes(data=True) if n["kind"] in ("fragment", "chunk"))
            for g in [graph, whole]
        ]
        self.assertEqual(executed[0], executed[1])

    def test_names_that_formats_must_not_take_for_their_own(self):
        name = os.fsdecode(b'we"ird,<b>&\n\xff')
        (self.folder / f"{name}.c").write_text(MANY.replace("150000", "5"))
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", f"{name}.c", "-o", name], cwd=self.folder, check=True)
        done = subprocess.run(
            [EINKORN, "record", "--no-report", "-o", "w.grain", "--", f"./{name}"],
            cwd=self.folder,
            capture_output=True,
            env=environment(),
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        for to in ["csv", "parquet", "graphml", "perfetto", "otf2"]:
            self.assertEqual(self.einkorn("export", "w.grain", "--to", to, "-o", f"w.{to}").returncode, 0)
        shown = 'we"ird,<b>&\n\ufffd.c'
        with open(self.folder / "w.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([r["file"].endswith(shown) for r in rows if r["kind"] == "task"], [True] * 5)
        files = duckdb.sql(f"select file from '{self.folder}/w.parquet' where kind = 'task'").fetchall()
        self.assertEqual([f.endswith(shown) for f, in files], [True] * 5)
        graph = networkx.read_graphml(self.folder / "w.graphml")  # names have no line ends there
        tasks = [n for _, n in graph.nodes(data=True) if n["kind"] == "fragment" and rows[n["grain"]]["kind"] == "task"]
        self.assertEqual([n["file"].endswith(shown.replace("\n", "?")) for n in tasks], [True] * 5)
        trace = perfetto_trace_pb2.Trace()
        trace.ParseFromString((self.folder / "w.perfetto").read_bytes())
        names = {e.name for packet in trace.packet for e in packet.interned_data.event_names}
        self.assertTrue(any(shown.replace("\n", "?") in n for n in names), names)
        done = subprocess.run(["otf2-print", "-G", "w.otf2/traces.otf2"], cwd=self.folder, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(shown.replace("\n", "?"), done.stdout.decode())

    # ---- files ----------------------------------------------------------------------------------------------------

    def test_default_names(self):
        for to, name in [
            ("csv", "app.csv"),
            ("parquet", "app.parquet"),
            ("graphml", "app.graphml"),
            ("perfetto", "app.perfetto-trace"),
            ("otf2", "app.otf2"),
        ]:
            done = self.einkorn("export", self.recording, "--to", to)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", f"einkorn: wrote {name}\n"))
            self.assertTrue((self.folder / name).exists())

    def test_what_was_there_stays_where_writing_fails(self):
        self.assert_refused(
            self.einkorn("export", self.recording, "--to", "csv", "-o", "/dev/full"), 125, "/dev/full", "No space left"
        )
        for to in ["csv", "parquet", "graphml", "perfetto"]:
            self.assert_refused(
                self.einkorn("export", self.recording, "--to", to, "-o", "no/such/file"),
                125,
                "no/such/file",
                "No such file",
            )
            self.assert_refused(self.einkorn("export", self.recording, "--to", to, "-o", self.folder), 125, "directory")
        broken = self.folder / "broken.grain"
        broken.write_bytes(b"nothing")
        (self.folder / "t.csv").write_text("precious")
        self.assert_refused(self.einkorn("export", broken, "--to", "csv", "-o", "t.csv"), 125, "broken.grain")
        self.assertEqual((self.folder / "t.csv").read_text(), "precious")
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["broken.grain", "t.csv"])

    def test_never_over_the_recording(self):
        done = self.einkorn("export", self.recording, "--to", "csv", "-o", self.recording)
        self.assert_refused(done, 125, "itself what is read", "another file")
        self.assertEqual(self.recording.read_bytes()[:8], b"EINKORN\n")

    def test_unknown_format(self):
        self.assert_refused(self.einkorn("export", self.recording, "--to", "svg"), 125, "perfetto", "--help")

    def test_every_format_through_a_pipe(self):
        for to, begin in [("csv", b"grain,id,"), ("parquet", b"PAR1"), ("graphml", b"<?xml"), ("perfetto", b"\x0a")]:
            done = subprocess.run(
                [EINKORN, "export", self.recording, "--to", to, "-o", "-"], capture_output=True, cwd=self.folder
            )
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(done.stdout.startswith(begin), to)


if __name__ == "__main__":
    main()

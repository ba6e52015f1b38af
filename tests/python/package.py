"""The Python package against the tool: the same table, the same metrics, the same comparison."""

import csv
import gc
import json
import math

import numpy as np
import pandas
import polars

from harness import main
from recordings import PythonTest

import einkorn


class Package(PythonTest):
    def setUp(self):
        super().setUp()
        self.app = einkorn.load(self.recordings / "app.grain")

    def tool(self, *words):
        done = self.einkorn(*words, cwd=self.recordings)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_table_is_that_of_export(self):
        self.check_table("app.grain", self.app)

    def test_what_was_counted(self):
        deep = einkorn.load(self.recordings / "deep.grain")
        self.check_table("deep.grain", deep)
        self.assertEqual(deep.aggregates["executed"].sum(), deep.aggregated_tasks)
        self.assertGreater(deep.aggregated_tasks, 0)
        self.assertEqual(deep.tasks, self.app.tasks)
        self.assertEqual((deep.aggregates["chunks"] != 0).sum(), 0)
        self.assertTrue((deep.aggregates["least"] <= deep.aggregates["most"]).all())
        self.assertTrue((deep.grains["kind"][deep.aggregates["grain"]] == einkorn.TASK).all())
        frame, table = deep.pandas(), deep.polars()
        self.assertEqual({n: table[n].null_count() for n in table.columns}, dict(frame.isna().sum()))
        found = deep.duckdb().sql("select sum(instances) from grains where kind in ('task', 'aggregated tasks')").fetchall()
        self.assertEqual(found, [(deep.tasks,)])
        # The same cut in both: all is matched, what was counted as a whole.
        with_itself = einkorn.compare(deep, deep)
        self.assertTrue(with_itself.per_grain)
        self.assertEqual(sum(line["after_grains"] for line in with_itself.lines if line["kind"] == "task"), deep.tasks)

    def check_table(self, file, recording):
        exported = list(csv.DictReader(self.tool("export", file, "--to", "csv", "-o", "-").splitlines()))
        metrics = recording.metrics()
        frame = recording.pandas(metrics)
        self.assertEqual(sorted(frame.columns), sorted(exported[0]))
        self.assertEqual(len(frame), len(exported))
        for name in frame.columns:
            for row, (value, text) in enumerate(zip(frame[name], (e[name] for e in exported))):
                if pandas.isna(value):
                    self.assertEqual(text, "", (name, row))
                elif isinstance(value, (bool, np.bool_)):
                    self.assertEqual(text, str(bool(value)).lower(), (name, row))
                elif isinstance(value, (float, np.floating)):
                    self.assertEqual(np.float32(text), np.float32(value), (name, row))
                else:
                    self.assertEqual(text, str(value), (name, row))

    def test_other_views_are_the_same_table(self):
        frame, metrics = self.app.pandas(), self.app.metrics()
        table = self.app.polars()
        self.assertEqual(table.columns, list(frame.columns))
        self.assertEqual({n: table[n].null_count() for n in table.columns}, dict(frame.isna().sum()))
        self.assertEqual(
            table.filter(polars.col("kind") == "task")["exec_ns"].sum(), frame[frame.kind == "task"].exec_ns.sum()
        )
        self.assertEqual(self.app.polars(metrics).width, len(self.app.pandas(metrics).columns))
        found = self.app.duckdb().sql("select count(*), sum(exec_ns) from grains where kind = 'chunk'").fetchall()
        self.assertEqual(found, [(17, frame[frame.kind == "chunk"].exec_ns.sum())])

    def test_columns_look_into_the_recording(self):
        exec_ns = self.app.grains["exec"]
        self.assertFalse(exec_ns.flags.writeable)
        self.assertFalse(exec_ns.flags.owndata)
        again = self.app._core.grains()["exec"]
        self.assertEqual(exec_ns.__array_interface__["data"], again.__array_interface__["data"])
        # Members of one structure: as far apart as its size.
        self.assertEqual({column.strides for column in self.app.grains.values()}, {exec_ns.strides})
        # They outlive the object that they came from.
        total, expected = None, int(exec_ns.sum())
        del again
        del self.app
        gc.collect()
        filler = [bytes(1 << 20) for _ in range(64)]
        total = int(exec_ns.sum())
        del filler
        self.assertEqual(total, expected)

    def test_what_the_report_says(self):
        report = json.loads(self.tool("report", "app.grain", "--json"))
        self.assertEqual(self.app.tasks, report["tasks"])
        self.assertEqual(self.app.wall_ns, round(report["wall_seconds"] * 1e9))
        self.assertEqual(self.app.critical_path_ns, round(report["critical_path_seconds"] * 1e9))
        self.assertEqual(self.app.times_valid, report["times_valid"])
        self.assertEqual(self.app.argv, report["argv"])
        for state, seconds in report["thread_time"].items():
            self.assertEqual(self.app.thread_time_ns[state], round(seconds * 1e9))
        self.assertEqual(len(self.app.threads), report["threads"])
        with self.assertRaises(AttributeError):
            self.app.nonsense

    def test_the_graph(self):
        nodes, edges = self.app.nodes, self.app.edges
        self.assertTrue((edges["from"] < edges["to"]).all())
        critical = nodes["critical"].astype(bool)
        executes = np.isin(nodes["kind"], [0, 4])  # fragments and chunks
        self.assertEqual(nodes["weight"][critical & executes].sum(), self.app.critical_path_ns)
        self.assertEqual(nodes["weight"][executes].sum(), self.app.grains["exec"].sum())
        bare = einkorn.load(self.recordings / "app.grain", graph=False)
        self.assertEqual(len(bare.nodes["kind"]), 0)
        self.assertFalse(hasattr(bare, "critical_path_ns"))

    def test_metrics(self):
        m = self.app.metrics()
        keys = {info["key"] for info in einkorn.metrics_table()}
        self.assertEqual(keys, {*m.grains, *m.sources, *m.program})
        tasks = self.app.grains["kind"] == einkorn.TASK
        self.assertTrue(np.array_equal(m.grains["exec"][tasks], self.app.grains["exec"][tasks].astype(np.float32)))
        self.assertTrue(np.isnan(m.grains["work_deviation"]).all())
        self.assertEqual(m.program["span"], self.app.critical_path_ns)
        low = m.problems("parallel_benefit")
        self.assertEqual(low.sum(), (m.grains["parallel_benefit"] < m.thresholds["parallel_benefit"]).sum())

    def test_intervals_and_thresholds(self):
        g = self.app.grains
        executed = (g["kind"] >= einkorn.SHARE) & (g["fragments"] > 0) & (g["exec"] > 0)
        begins, ends = g["begin"][executed], g["end"][executed]
        differences = np.abs(begins[:, None] - ends[None, :])
        self.assertEqual(self.app.interval_ns("gap"), differences[differences > 0].min())
        self.assertEqual(self.app.interval_ns("shortest"), g["exec"][executed].min())
        # One interval, the whole run: the threads that execute for more than half of it, one at least, are all tasks' value.
        n = self.app.nodes
        counted = np.append(g["kind"] >= einkorn.SHARE, False)[np.minimum(n["grain"], len(g["kind"]))]
        executes = counted & np.isin(n["kind"], [0, 4]) & (n["weight"] > 0) & (n["begin"] >= 0)  # fragments and chunks
        from_, length, thread = (n[name][executes].astype(np.int64) for name in ("begin", "weight", "thread"))
        run = int((from_ + length).max() - from_.min())
        median, whole = self.app.metrics(), self.app.metrics(interval=run)
        self.assertEqual(whole.interval_ns, run)
        self.assertGreaterEqual(median.interval_ns, self.app.metrics(interval="shortest").interval_ns)
        busy = sum(2 * length[thread == t].sum() > run for t in np.unique(thread))
        tasks = g["kind"] == einkorn.TASK
        self.assertEqual(set(whole.grains["parallelism_optimistic"][tasks]), {max(1, busy)})
        none, all_of_them = (self.app.metrics(thresholds={"parallel_benefit": t}) for t in (0, 1e30))
        self.assertEqual(none.problems("parallel_benefit").sum(), 0)
        self.assertEqual(all_of_them.problems("parallel_benefit").sum(), (~np.isnan(median.grains["parallel_benefit"])).sum())
        for wrong, kind in [({"interval": "mean"}, ValueError), ({"interval": -1}, ValueError), ({"thresholds": {"benefit": 1}}, KeyError)]:
            with self.assertRaises(kind):
                self.app.metrics(**wrong)

    def test_compare(self):
        one = einkorn.load(self.recordings / "one.grain")
        c = einkorn.compare(one, self.app)
        told = json.loads(self.tool("compare", "one.grain", "app.grain", "--json"))
        self.assertEqual(c.matched, told["matched"]["grains"])
        self.assertEqual(len(c.lines), len(told["lines"]))
        tasks = self.app.grains["kind"] == einkorn.TASK
        self.assertTrue((c.match[tasks] >= 0).all())
        for name in ("id_high", "id_low"):
            self.assertTrue(np.array_equal(self.app.grains[name][tasks], one.grains[name][c.match[tasks]]))
        if c.per_grain:
            ratio = self.app.grains["exec"][tasks] / one.grains["exec"][c.match[tasks]]
            self.assertTrue(np.allclose(c.deviation[tasks], ratio, rtol=1e-6))
            deviation = self.app.metrics(baseline=one).grains["work_deviation"][tasks]
            self.assertTrue(np.allclose(deviation, ratio, rtol=1e-5))
        self.assertEqual(
            c.inflation_ns, sum(self.app.thread_time_ns[s] - one.thread_time_ns[s] for s in ("work", "serial"))
        )
        itself = einkorn.compare(self.app, self.app)
        self.assertEqual(itself.share, 1)
        self.assertTrue(math.isclose(np.nanmin(itself.deviation), 1) and math.isclose(np.nanmax(itself.deviation), 1))

    def recorded(self, program, option):
        """The recording, and its first task."""
        file = self.folder / "recorded.grain"
        done = self.einkorn("record", option, "--no-report", "-o", file, "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        r = einkorn.load(file)
        return r, int(np.flatnonzero(r.grains["kind"] == einkorn.TASK)[0])

    def test_memory_accesses(self):
        self.assertEqual(self.app.accesses, {})
        source = "long a[1000]; int main(void) {\n#pragma omp parallel num_threads(2)\n#pragma omp single\n#pragma omp task\n"
        source += "for (int i = 0; i < 1000; ++i) a[i] += i; return 0; }"
        r, task = self.recorded(self.compile(source, "-fsanitize=thread", name="hooked"), "--accesses")
        self.assertEqual(len(r.accesses["loads"]), len(r))
        self.assertEqual((r.accesses["loads"][task], r.accesses["stores"][task]), (1000, 1000))
        self.assertEqual((r.accesses["read"][task], r.accesses["written"][task]), (8000, 8000))
        self.assertIn(r.accesses["lines"][task], (125, 126))
        self.assertEqual(r.metrics().grains["loads"][task], 1000)

    def test_counters(self):
        self.assertEqual(self.app.counters, {})
        source = "#include <sys/mman.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n#pragma omp single\n#pragma omp task\n"
        source += "{ char *p = mmap(0, 400 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
        source += "madvise(p, 400 * 4096, MADV_NOHUGEPAGE); for (int i = 0; i < 400; ++i) ((volatile char *)p)[4096 * i] = 1; } return 0; }"
        r, task = self.recorded(self.compile(source, "-D_GNU_SOURCE", name="pages"), "--counters=page-faults,context-switches")
        self.assertEqual(sorted(r.counters), ["context_switches", "page_faults"])
        self.assertEqual(len(r.counters["page_faults"]), len(r))
        self.assertTrue(400 <= r.counters["page_faults"][task] <= 420, r.counters["page_faults"][task])
        implicit = r.grains["kind"] == einkorn.IMPLICIT  # no code of their own
        self.assertTrue(np.all(np.isnan(r.counters["page_faults"][implicit])))

    def test_what_is_no_recording(self):
        (self.folder / "thesis.tex").write_text("x" * 100)
        with self.assertRaisesRegex(einkorn.LoadError, "is not a recording"):
            einkorn.load(self.folder / "thesis.tex")
        with self.assertRaisesRegex(einkorn.LoadError, "No such file"):
            einkorn.load(self.folder / "missing.grain")


if __name__ == "__main__":
    main()

"""Compares what this reader computes from a recording with what `einkorn report --json` and the table of grains say."""
import csv
import json
import statistics
from pathlib import Path

import known
from graph import Graph
from metrics import Metrics, balance
from recording import Run
from replay import BARRIERS, STATES

PART, LEAST = 1e-4, 2.5e-9  # of a value, and s: a ns or two
OF_GRAINS = {"exec_ns": "exec", "create_cost_ns": "creation", "parallelization_ns": "parallelization",
             "parallel_benefit": "benefit", "parallelism_optimistic": "optimistic",
             "parallelism_conservative": "conservative", "scatter": "scatter",
             "subtree_work_ns": "subtree"}


class Comparison:
    def __init__(self, file):
        self.file, self.differences, self.compared = Path(file), [], 0
        self.report = json.loads(known.tool("report", file, "--json"))
        self.rows = self.table()
        self.run = Run(file)
        # The file does not say which waits are at one line: that is taken from the report.
        fetching = sum(w["overhead_seconds"] * 1e9 for w in self.report["waits"] if w["tasks"])
        self.metrics = Metrics(self.run, Graph(self.run), fetching)
        for grain in self.metrics.grains:
            grain.benefit = grain.exec / grain.parallelization if grain.parallelization else None

    def table(self, options=()):
        rows = csv.DictReader(known.tool("export", self.file, "--to", "csv", "-o", "-", *options).splitlines())
        return [row for row in rows if row["kind"] in ("task", "chunk", "share")]

    def near(self, mine, theirs, what, least=LEAST):
        self.compared += 1
        if (mine is None) != (theirs is None) or (mine is not None and abs(mine - theirs) > PART * abs(theirs) + least):
            self.differences.append(f"{what}: read {mine}, reported {theirs}")

    def all(self):
        for part in (self.counts, self.threads, self.program, self.cut_off, self.waits, self.locks, self.grains,
                     self.lines):
            part()
        return self.differences

    def counts(self):
        run, report = self.run, self.report
        self.near(len(run.tasks) + run.aggregated, report["tasks"], "tasks", 0)
        self.near(run.aggregated, report.get("aggregated_tasks", 0), "aggregated tasks", 0)
        for name in ("chunks", "shares", "regions"):
            self.near(len(getattr(run, name)), report[name], name, 0)
        self.near(run.file.finish / 1e9, report["wall_seconds"], "wall")
        self.near(len(run.threads), report["threads"], "threads", 0)
        items = sum(len(x.dependences) for x in [*(t for t in run.tasks if not t.said_before), *run.waits])
        self.near(items, report["dependences"], "dependences", 0)

    def threads(self):
        for state in STATES:
            self.near(self.metrics.times[state], self.report["thread_time"].get(state, 0), f"thread time, {state}", 1e-8)
        for thread, told in zip(self.run.threads, self.report["per_thread"], strict=True):
            name = f"thread {thread.stream.index}"
            for state in STATES:
                self.near(thread.time[state] / 1e9, told["time"].get(state, 0), f"{name}, {state}", 1e-8)
            self.near(sum(thread.time.values()) / 1e9, told["in_team_seconds"], f"{name}, in teams", 1e-8)
            self.near(thread.cpu_ns / 1e9, told["cpu_seconds"], f"{name}, CPU time")
            self.near(thread.switches, told["involuntary_switches"], f"{name}, switches", 0)
        self.near(sum(t.missed for t in self.run.threads) / 1e9, self.report["off_cpu_seconds"], "off CPU", 1e-8)

    def program(self):
        mine, theirs = self.metrics.of_program(), self.report["metrics"]
        for name in sorted(set(mine) | set(theirs)):
            self.near(mine.get(name), theirs.get(name), name, 1e-8 if name.endswith("seconds") else 1e-7)
        times = self.metrics.times
        split = sum(v for k, v in theirs.items() if k.startswith("split_"))
        self.near(sum(times.values()), split, "the split of the thread time, added up", 1e-8)

    def against(self, one):
        """Work inflation; `one` is the same program on one thread: grains of the same name are the same. Shares are compared
        with all of their team up to the same barrier, by the numbers of regions: the program has none within others, nor
        static loops."""
        beside = ("--baseline", one.file)
        theirs = json.loads(known.tool("report", self.file, "--json", *beside))["metrics"]
        before, now = (c.metrics.times["work"] + c.metrics.times["serial"] for c in (one, self))
        for name, value in (("split_work_seconds", before), ("split_inflation_seconds", now - before),
                            ("inflation_speedup", self.metrics.threads * before / now)):
            self.near(value, theirs.get(name), name, 1e-8 if name.endswith("seconds") else 1e-7)
        self.grains(), one.grains()
        before, after = {}, {}
        for execution, comparison in ((before, one), (after, self)):
            for grain in comparison.metrics.grains:
                if hasattr(grain, "row"):
                    execution[self.name(grain)] = execution.get(self.name(grain), 0) + grain.exec
        by_number, matched = {g.row["grain"]: g for g in self.metrics.grains if hasattr(g, "row")}, 0
        for row in self.table(beside):
            grain = by_number.get(row["grain"])
            deviation = after[self.name(grain)] / before[self.name(grain)] if grain and before.get(self.name(grain)) else None
            matched += deviation is not None
            told = float(row["work_deviation"]) if row["work_deviation"] else None
            self.near(deviation, told, f"grain {row['grain']}, work deviation", 1e-6)
        if not matched:
            self.differences.append("no grain has a counterpart on one thread")
        return self.differences

    @staticmethod
    def name(grain):
        """The key that finds it in another recording: a chunk needs the same iterations; shares of one phase have one."""
        if grain.kind == "chunk":
            return grain.row["id"], grain.first, grain.count
        return (grain.region.number, grain.phase) if grain.kind == "share" else grain.row["id"]

    def cut_off(self):
        mine, theirs = self.metrics.cut_off()[:64], self.report.get("cut_off", [])
        self.near(len(mine), len(theirs), "depths", 0)
        for a, b in zip(mine, theirs):
            for name in b:
                self.near(a[name], b[name], f"cut-off at {b['depth']}, {name}")

    def waits(self):
        """By construct: the file does not have lines."""
        def by_construct(rows):
            sums = {}
            for construct, *values in rows:
                sums[construct] = [a + b for a, b in zip(sums.get(construct, [0] * 5), values)]
            return sums
        def name(wait):
            implicit = wait.construct != "barrier" and wait.construct in BARRIERS | {"barrier_parallel"}
            return "implicit barrier" if implicit else wait.construct.replace("_", " ")
        mine = by_construct((name(w), 1, w.started, w.overhead / 1e9, w.idle / 1e9, w.blocked / 1e9)
                            for w in self.run.waits)
        keys = ("waits", "tasks", "overhead_seconds", "idle_seconds", "blocked_seconds")
        theirs = by_construct((w["construct"], *(w[k] for k in keys)) for w in self.report["waits"])
        for construct in mine | theirs:
            for key, a, b in zip(keys, mine.get(construct, [None] * 5), theirs.get(construct, [None] * 5)):
                self.near(a, b, f"{construct}, {key}", 1e-7)

    def locks(self):
        order = lambda rows: sorted(rows, key=lambda r: (r[0], r[2]))
        mine = order((l.acquired, l.contended, l.held / 1e9, l.waited / 1e9) for l in self.run.locks.values())
        theirs = order((l["acquired"], l["contended"], l["held_seconds"], l["waited_seconds"])
                       for l in self.report["locks"])
        self.near(len(mine), len(theirs), "locks", 0)
        for a, b in zip(mine, theirs):
            for what, x, y in zip(("acquired", "contended", "held", "waited"), a, b):
                self.near(x, y, f"lock, {what}")

    # Grains: a task is known by when it was created and by whom, others by when they began and where

    def grains(self):
        def key_of_row(row):
            if row["kind"] == "task":
                return row["kind"], int(row["creator"]), int(row["create_begin_ns"])
            return row["kind"], int(row["thread"]), int(row["begin_ns"])
        theirs = {}
        for row in self.rows:
            theirs.setdefault(key_of_row(row), []).append(row)
        critical, critical_grains = 0, 0
        someone_idles = any(t.idle_pieces for t in self.run.threads)
        for grain in self.metrics.grains:
            key = (grain.kind, grain.thread, grain.begin)
            if grain.kind == "task":
                key = (grain.kind, grain.creator, grain.create_begin)
            if not theirs.get(key):
                self.differences.append(f"{key}: not reported")
                continue
            row = grain.row = theirs[key].pop(0)
            for column, name in OF_GRAINS.items():
                if column == "create_cost_ns" and grain.kind == "share":
                    continue
                value = float(row[column]) if row[column] else None
                self.near(getattr(grain, name), value, f"{key}, {column}", 1.5 if column.endswith("_ns") else 1e-6)
            told = float(row["critical_ns"] or 0)
            critical, critical_grains = critical + told, critical_grains + (told > 0)
            if told > grain.critical * (1 + PART) + 1.5:
                self.differences.append(f"{key}, critical_ns: reported {told}, on longest paths {grain.critical}")
            if someone_idles:
                self.near(grain.idle_caused, float(row["idle_caused_ns"]), f"{key}, idle_caused_ns", 1.5)
        # Of several longest paths the report has one. It is as long in grains as the initial task, which is none, leaves of it;
        # so where there is one only, each grain has the part that it has here.
        initial = sum(n.weight for n in self.metrics.on_longest if n.grain and n.grain.kind == "initial")
        rounded = 1.5 * (critical_grains + 1)
        if not self.metrics.span - initial - rounded <= critical <= self.metrics.span + rounded:
            self.differences.append(f"critical_ns of all grains: {critical}, of {self.metrics.span}, up to {initial} in the initial task")
        left = [k for k, rows in theirs.items() if rows]
        if left:
            self.differences.append(f"reported, not read: {left[:5]}")

    # Lines

    def lines(self):
        """The line of a site is not in the file: it is taken from the report."""
        def of_line(row):
            return (*(str(row.get(k) or "") for k in ("file", "line", "function")), row["construct"], row["kind"])
        lines, sites = {}, {}
        for grain in self.metrics.grains:
            if hasattr(grain, "row"):
                lines.setdefault(of_line(grain.row), []).append(grain)
                # Shares have the line of the barrier that ends them, or their region's: those of one team, before one barrier, the same.
                site = (id(grain.region), grain.phase) if grain.kind == "share" else id(grain.site)
                sites.setdefault((site, grain.kind), set()).add(of_line(grain.row))
        if any(len(s) > 1 for s in sites.values()):
            self.differences.append("grains of one site are reported at several lines")
        told = {of_line(s): s for s in self.report["sources"]}
        self.near(len(lines), len(told), "lines", 0)
        for place, grains in lines.items():
            if place not in told:
                self.differences.append(f"{place}: not reported")
            else:
                self.line(place[0].rsplit("/", 1)[-1] + ":" + place[1] + " " + place[3], grains, told[place])

    def line(self, name, grains, told):
        execs = sorted(g.exec / 1e9 for g in grains)
        self.near(len(grains), told["grains"], f"{name}, grains", 0)
        self.near(sum(execs), told["exec_seconds"], f"{name}, execution", 1e-8)
        self.near(sum(execs) / len(execs), told["mean_seconds"], f"{name}, mean")
        self.near(execs[len(execs) // 2], told["median_seconds"], f"{name}, median")
        self.near(execs[-1], told["longest_seconds"], f"{name}, longest")
        timed = [g.creation / 1e9 for g in grains if g.creation is not None]
        self.near(sum(timed) / len(timed) if timed else None, told.get("mean_creation_seconds"), f"{name}, creation")
        metrics = told["metrics"]
        for metric, attribute, sign in (("parallel_benefit", "benefit", -1), ("parallelism_optimistic", "optimistic", -1),
                                        ("scatter", "scatter", 1)):
            values = [getattr(g, attribute) for g in grains if getattr(g, attribute) is not None]
            summary = metrics.get(metric)
            self.near(len(values) or None, summary and summary["grains"], f"{name}, {metric}, grains", 0)
            if values and summary:
                self.near(statistics.median(values), summary["median"], f"{name}, {metric}, median", 1e-6)
                beyond = sum(sign * v > sign * summary["threshold"] for v in values)
                self.near(beyond, summary["problems"], f"{name}, {metric}, problems", 0)
        for metric, value in balance(self.instances(grains)).items():
            self.near(value, metrics.get(metric), f"{name}, {metric}", 1e-6)

    @staticmethod
    def instances(grains):
        instances = {}
        for grain in grains:
            if grain.region:
                instance = grain.loop if grain.kind == "chunk" else grain.region
                if grain.kind == "share":
                    instance = (grain.region, grain.phase)
                instances.setdefault(instance, []).append(grain)
        return [(members, members[0].region.size) for members in instances.values()]

"""Recordings of OpenMP programs, grain by grain.

    import einkorn
    r = einkorn.load("sort.grain")
    tasks = r.grains["kind"] == einkorn.TASK
    print(r.grains["exec"][tasks].sum() / 1e9, "s in", tasks.sum(), "tasks")

Columns are numpy arrays that look into the recording's own memory: nothing is copied, and they are read-only. What was
not measured is -1 in columns of times and iterations, and the largest value of its type in those of numbers (NONE,
NONE16); tables for pandas, polars and DuckDB have it as null. Times are nanoseconds since the recording began.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._core import LoadError

__all__ = [
    "load",
    "compare",
    "metrics_table",
    "Recording",
    "Metrics",
    "Comparison",
    "LoadError",
    "KINDS",
    "INITIAL",
    "IMPLICIT",
    "SHARE",
    "CHUNK",
    "TASK",
    "FLAGS",
    "NONE",
    "NONE16",
]

KINDS = ("initial", "implicit", "share", "chunk", "task")
INITIAL, IMPLICIT, SHARE, CHUNK, TASK = range(5)
FLAGS = {
    "undeferred": 1,
    "final": 2,
    "untied": 4,
    "mergeable": 8,
    "included": 16,
    "inlined": 32,
    "has_depend": 64,
    "estimated": 512,
    "incomplete": 1024,
    "perturbed": 2048,
}
NONE, NONE16 = 0xFFFFFFFF, 0xFFFF
_TIMES = ("create_begin", "create_cost", "begin", "end", "exec", "wait")


def load(path: str | os.PathLike, graph: bool = True, source_lines: bool = True) -> Recording:
    """Reads a .grain file. Without `graph` there is no critical path, and less memory is taken; without `source_lines`
    the program's debug information is not looked into. Raises LoadError on what is no recording."""
    return Recording(_core.load(os.fspath(path), graph, source_lines))


def compare(before: Recording, after: Recording) -> Comparison:
    """The same program twice: of one thread and of many, or before and after a change."""
    return Comparison(before, after, _core.compare(before._core, after._core))


def metrics_table() -> list[dict]:
    """Every metric: key, name, unit, level (grain, source, program), definition, origin, and on which side of its
    threshold it is a problem."""
    return _core.metrics_table()


class Recording:
    """A recording in memory. Its single values are attributes: program, argv, wall_ns, times_valid, tasks,
    thread_time_ns, ..., and with the graph critical_path_ns and parallelism; `info` has them all."""

    def __init__(self, core):
        self._core = core
        self.info: dict[str, Any] = core.info()
        self.threads: list[dict] = core.threads()
        self.sources: list[dict] = core.sources()
        self.grains: dict[str, np.ndarray] = core.grains()
        self.footprints: dict[str, np.ndarray] = core.footprints()
        counted = core.accesses()
        # By grain, as grains; without columns where memory accesses were not counted (einkorn record --accesses).
        self.accesses: dict[str, np.ndarray] = counted if len(counted["loads"]) else {}
        # Likewise, by counter (einkorn record --counters); NaN where a grain's count is not known.
        self.counters: dict[str, np.ndarray] = core.counters()
        # Tasks and chunks that were counted, not recorded one by one (einkorn record --depth, --filter): those of one source
        # below one grain. exec is the sum, least and most are of one of them.
        self.aggregates: dict[str, np.ndarray] = core.aggregates()
        self.regions: dict[str, np.ndarray] = core.regions()
        self.nodes: dict[str, np.ndarray] = core.nodes()
        self.edges: dict[str, np.ndarray] = core.edges()

    def __getattr__(self, name):
        if name != "info" and name in self.info:
            return self.info[name]
        raise AttributeError(f"a recording has no {name!r}")

    def __len__(self):
        return len(self.grains["exec"])

    def __repr__(self):
        what = f"{len(self)} grains, {len(self.threads)} threads, {self.wall_ns / 1e9:.3g} s"
        return f"<einkorn.Recording of {self.program!r}: {what}>"

    def metrics(
        self,
        baseline: Recording | None = None,
        interval: str | int = "median",
        thresholds: dict[str, float] | None = None,
    ) -> Metrics:
        """All metrics. `baseline`, usually of one thread, gives work_deviation and inflation. `interval`: into which instantaneous
        parallelism cuts the run: "median" (as long as the median grain), "shortest" (the shortest grain), "gap" (the smallest
        difference between one grain's begin and another's end), or ns. The shorter, the more exact and the more work; it is
        lengthened where there were more than 16 of them for each grain: `interval_ns` of the result. `thresholds` by key, instead
        of the defaults."""
        ns = self.interval_ns(interval) if isinstance(interval, str) else int(interval)
        if ns < 0:
            raise ValueError(f"an interval is longer than {ns} ns")
        return Metrics(self._core.metrics(baseline._core if baseline else None, ns, thresholds or {}))

    def interval_ns(self, rule: str) -> int:
        """How long an interval of instantaneous parallelism is by that rule of Muddukrishna's (thesis, 5.4.2): see metrics()."""
        g = self.grains
        executed = ((g["kind"] == SHARE) | (g["kind"] == CHUNK) | (g["kind"] == TASK)) & (g["fragments"] > 0) & (g["exec"] > 0)
        if rule == "median" or not executed.any():
            if rule not in ("median", "shortest", "gap"):
                raise ValueError(f"there is no interval {rule!r}: median, shortest, gap, or a number of ns")
            return 0
        if rule == "shortest":
            return int(g["exec"][executed].min())
        if rule != "gap":
            raise ValueError(f"there is no interval {rule!r}: median, shortest, gap, or a number of ns")
        # A grain's own end is never its begin, and equal times have no gap between them: the nearest different one.
        begins, ends = np.unique(g["begin"][executed]), np.unique(g["end"][executed])
        after = np.searchsorted(ends, begins, side="right")
        before = np.searchsorted(ends, begins, side="left") - 1
        gaps = np.concatenate(
            [(ends[after[after < len(ends)]] - begins[after < len(ends)]), (begins[before >= 0] - ends[before[before >= 0]])]
        )
        return int(gaps[gaps > 0].min()) if (gaps > 0).any() else 0

    def table(self, metrics: Metrics | None = None) -> dict[str, np.ndarray | np.ma.MaskedArray]:
        """The columns of `einkorn export`'s table, with what is absent masked. These are copies where something is. Behind the
        grains stand the aggregates, with kinds of their own: what they have no value for is masked."""
        g = self.grains
        out: dict[str, Any] = {"grain": np.arange(len(self), dtype=np.int64)}
        out["id"] = np.array([f"{h:016x}{low:016x}" for h, low in zip(g["id_high"].tolist(), g["id_low"].tolist())])
        out["kind"] = np.array(KINDS)[g["kind"]]
        out["instances"] = np.ones(len(self), dtype=np.int64)
        for name in ("parent", "ordinal", "region", "loop", "thread", "creator"):
            out[name] = np.ma.masked_equal(g[name], NONE)
        for name in ("cpu", "node", "creator_node"):
            out[name] = np.ma.masked_equal(g[name], NONE16)
        for name in ("depth", "children", "fragments"):
            out[name] = g[name]
        for name in ("first_iteration", "iterations"):
            out[name] = np.ma.masked_less(g[name], 0)
        for name in _TIMES:
            out[name + "_ns"] = np.ma.masked_less(g[name], 0)
        ran = g["fragments"] > 0
        out["exec_ns"] = np.ma.masked_where(~ran, g["exec"])
        out["wait_ns"] = np.ma.masked_where(~ran & (g["kind"] != IMPLICIT), g["wait"])
        out.update(self._places(g["source"]))
        told = g["footprint"] != NONE
        for name in ("bytes", "known", "remote"):
            values = np.zeros(len(self), dtype=np.uint64)
            values[told] = self.footprints[name][g["footprint"][told]]
            out[{"bytes": "footprint_bytes"}.get(name, f"footprint_{name}_bytes")] = np.ma.masked_where(~told, values)
        for name, bit in FLAGS.items():
            out[name] = (g["flags"] & bit) != 0
        if metrics is not None:
            units = {m["key"]: m["unit"] for m in metrics_table()}
            for key, values in metrics.grains.items():
                if key not in ("exec", "creation"):
                    out[key + ("_ns" if units[key] == "ns" else "")] = np.ma.masked_invalid(values)
        return self._with_aggregates(out) if len(self.aggregates["exec"]) else out

    def _places(self, source: np.ndarray) -> dict[str, np.ma.MaskedArray]:
        known = source != NONE
        out = {}
        for name in ("file", "line", "function", "construct"):
            nothing = 0 if name == "line" else ""
            values = np.array([s[name] for s in self.sources] or [nothing])[np.where(known, source, 0)]
            out[name] = np.ma.masked_where(~known | (values == nothing), values)
        return out

    def _with_aggregates(self, table: dict) -> dict:
        a, n = self.aggregates, len(self.aggregates["exec"])
        none, chunks = a["executed"] == 0, a["chunks"] != 0
        rows = {
            "grain": np.arange(len(self), len(self) + n, dtype=np.int64),
            "kind": np.where(chunks, "aggregated chunks", "aggregated tasks"),
            "instances": a["executed"].astype(np.int64),
            "parent": np.ma.masked_equal(a["grain"], NONE),
            "exec_ns": np.ma.masked_where(none, a["exec"]),
            "created": np.ma.masked_where(chunks, a["created"].astype(np.int64)),
            "exec_least_ns": np.ma.masked_where(none, a["least"]),
            "exec_most_ns": np.ma.masked_where(none, a["most"]),
            **self._places(a["source"]),
        }
        out = {}
        for name in list(table) + [name for name in rows if name not in table]:
            parts = [
                table.get(name, np.ma.masked_all(len(self), dtype=np.int64)),
                rows.get(name, np.ma.masked_all(n, dtype=table[name].dtype if name in table else np.int64)),
            ]
            masked = any(isinstance(p, np.ma.MaskedArray) for p in parts)
            out[name] = (np.ma if masked else np).concatenate(parts)
        return out

    def pandas(self, metrics: Metrics | None = None):
        """The table as a pandas.DataFrame, absent values as NA."""
        import pandas

        def series(values):
            if not isinstance(values, np.ma.MaskedArray) or values.dtype.kind == "f":
                return np.ma.filled(values, np.nan) if isinstance(values, np.ma.MaskedArray) else values
            mask = np.ma.getmaskarray(values)
            if values.dtype.kind in "iu":
                return pandas.arrays.IntegerArray(np.ascontiguousarray(values.data), mask)
            return pandas.Series(values.data).mask(mask)

        return pandas.DataFrame({name: series(values) for name, values in self.table(metrics).items()})

    def polars(self, metrics: Metrics | None = None):
        """The table as a polars.DataFrame, absent values as null."""
        import polars

        def series(name, values):
            s = polars.Series(name, np.ascontiguousarray(np.ma.getdata(values)))
            if not np.ma.is_masked(values):
                return s
            mask = polars.Series(np.ma.getmaskarray(values))
            return polars.select(polars.when(~mask).then(s).alias(name)).to_series()

        return polars.DataFrame([series(name, values) for name, values in self.table(metrics).items()])

    def duckdb(self, connection=None, name: str = "grains", metrics: Metrics | None = None):
        """The table in a DuckDB connection, as a view called `name`; returns the connection (a new one by default)."""
        import duckdb

        connection = connection or duckdb.connect()
        connection.register(name, self.pandas(metrics))
        return connection


class Metrics:
    """grains, sources: arrays by key, NaN where absent; program: values by key; thresholds: where problems begin; interval_ns: that
    of instantaneous parallelism, 0 where there is none."""

    def __init__(self, found: dict):
        self.grains: dict[str, np.ndarray] = found["grains"]
        self.sources: dict[str, np.ndarray] = found["sources"]
        self.program: dict[str, float] = found["program"]
        self.thresholds: dict[str, float] = found["thresholds"]
        self.interval_ns: int = found["interval_ns"]

    def problems(self, key: str) -> np.ndarray:
        """Which grains have a problem by the metric `key`: a mask."""
        side = next(m["problem"] for m in metrics_table() if m["key"] == key)
        values = self.grains[key]
        with np.errstate(invalid="ignore"):
            return (
                values < self.thresholds[key]
                if side == "below"
                else values > self.thresholds[key] if side else np.zeros(len(values), bool)
            )


class Comparison:
    """match: for each grain of `after` the same one of `before`, or -1; share: of the work that is matched; lines: the
    largest change of execution first; deviation: execution after over before of each task and chunk, NaN where there is
    none, and everywhere where less than 95 % of the work is matched (per_grain is False)."""

    def __init__(self, before: Recording, after: Recording, found: dict):
        self.before, self.after = before, after
        self.match: np.ndarray = found["match"]
        self.matched: int = found["matched"]
        self.share: float = found["share"]
        self.per_grain: bool = found["per_grain"]
        self.only_before: dict = found["only_before"]
        self.only_after: dict = found["only_after"]
        self.inflation_ns: int = found["inflation_ns"]
        self.lines: list[dict] = found["lines"]
        base = found["deviation_base"]
        with np.errstate(divide="ignore", invalid="ignore"):
            self.deviation: np.ndarray = np.where(base > 0, after.grains["exec"] / base, np.nan)

    def __repr__(self):
        return f"<einkorn.Comparison: {self.matched} grains matched, {100 * self.share:.1f} % of the work>"

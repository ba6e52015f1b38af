// einkorn._core: recordings of the C++ side. einkorn/__init__.py is what a user sees.
#include "core.h"
#include <nanobind/stl/string.h>

namespace einkorn::python {

namespace {

Recording* load(const std::string& path, bool graph, bool symbolize) {
  auto r = std::make_unique<Recording>();
  profile::LoadOptions options;
  options.graph = graph;
  options.symbolize = symbolize;
  profile::LoadError error;
  if (!profile::load(path, options, r->p, error)) throw LoadFailure(error.message);
  return r.release();
}

nb::dict state_times(const profile::StateTimes& times) {
  nb::dict out;
  for (size_t s = 0; s < times.size(); ++s) out[profile::kStateNames[s]] = times[s];
  return out;
}

nb::dict info(const Recording& r) {
  const profile::Profile& p = r.p;
  nb::dict out;
  out["program"] = text(p.program);
  nb::list argv;
  for (const std::string& a : p.argv) argv.append(text(a));
  out["argv"] = argv;
  out["runtime"] = text(p.runtime);
  out["absent"] = text(p.absent);
  out["host"] = text(p.host);
  out["started"] = text(p.started);
  out["machine"] = text(p.machine);
  out["cpus"] = p.cpus;
  out["wall_ns"] = p.wall_ns;
  out["times_valid"] = p.times_valid;
  out["complete"] = p.totals.complete;
  out["tasks"] = p.totals.tasks;
  out["chunks"] = p.totals.chunks;
  out["shares"] = p.totals.shares;
  out["regions"] = p.totals.regions;
  out["aggregated_tasks"] = p.totals.aggregated_tasks;
  out["aggregated_chunks"] = p.totals.aggregated_chunks;
  out["lost_tasks"] = p.totals.lost_tasks;
  out["lost_chunks"] = p.totals.lost_chunks;
  out["thread_time_ns"] = state_times(p.thread_time);
  if (!p.graph.nodes.empty()) {
    out["critical_path_ns"] = p.critical_path_ns;
    out["burdened_path_ns"] = p.burdened_path_ns;
    out["parallelism"] = p.parallelism;
  }
  return out;
}

nb::list threads(const Recording& r) {
  nb::list out;
  for (const profile::Thread& t : r.p.threads) {
    nb::dict d;
    d["os_tid"] = t.os_tid;
    d["initial"] = t.initial;
    d["begin_ns"] = t.begin;
    d["end_ns"] = t.end;
    d["in_team_ns"] = t.in_team;
    d["time_ns"] = state_times(t.times);
    out.append(d);
  }
  return out;
}

nb::list sources(const Recording& r) {
  nb::list out;
  for (const profile::Source& s : r.p.sources) {
    nb::dict d;
    d["file"] = text(s.file);
    d["line"] = s.line;
    d["function"] = text(s.function);
    d["construct"] = text(s.construct);
    d["module"] = text(s.module);
    d["address"] = s.address;
    out.append(d);
  }
  return out;
}

}  // namespace
}  // namespace einkorn::python

NB_MODULE(_core, m) {
  using namespace einkorn::python;
  nb::exception<LoadFailure>(m, "LoadError", PyExc_ValueError);
  nb::class_<Recording> recording(m, "Recording");
  recording.def("info", &info).def("threads", &threads).def("sources", &sources);
  add_columns(recording);
  add_results(m, recording);
  m.def("load", &load, nb::arg("path"), nb::arg("graph"), nb::arg("symbolize"),
        nb::call_guard<nb::gil_scoped_release>());
}

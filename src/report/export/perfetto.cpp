// A Perfetto trace (protobuf), for its viewer and trace processor.
//
// One track a thread. A slice is a span of the time line (profile/timeline.h): a task's fragments, and the waits
// between them inside which other tasks run. A flow leads from a task's creation to its first fragment. The first slice
// of a grain carries its identity, source and times as debug annotations, every other one the grain's row number.
//
// Field numbers are those of Perfetto's trace_packet.proto and what it includes; names are interned per thread.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>
#include <fmt/format.h>
#include "report/export/export.h"
#include "report/output_file.h"
#include "report/export/protobuf.h"
#include "report/table.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Profile;
using profile::Span;
using profile::SpanKind;
using profile::Timeline;

namespace trace {
constexpr int packet = 1;
}
namespace packet {
constexpr int timestamp = 8, sequence = 10, track_event = 11, interned = 12, flags = 13, descriptor = 60,
              first_on_sequence = 87;
}
namespace descriptor {
constexpr int uuid = 1, name = 2, process = 3, thread = 4;
}
namespace process {
constexpr int pid = 1, cmdline = 2, name = 6;
}
namespace thread {
constexpr int pid = 1, tid = 2, name = 5;
}
namespace event {
constexpr int category_iid = 3, annotation = 4, type = 9, name_iid = 10, track = 11, location_iid = 34, flow = 47,
              end_of_flow = 48;
constexpr int slice_begin = 1, slice_end = 2;
}  // namespace event
namespace annotation {
constexpr int name_iid = 1, integer = 4, string = 6, boolean = 2, string_iid = 17;
}
namespace interned {
constexpr int categories = 1, event_names = 2, annotation_names = 3, locations = 4, strings = 29;
constexpr int iid = 1, text = 2;
}  // namespace interned
namespace location {
constexpr int iid = 1, file = 2, function = 3, line = 4;
}
constexpr uint64_t kCleared = 1, kNeedsState = 2;   // packet::flags
constexpr uint64_t kProcess = 1, kFirstThread = 2;  // uuids

// Names that are known beforehand: their numbers are their places.
enum Key : uint8_t {
  k_grain,
  k_id,
  k_source,
  k_parent,
  k_exec,
  k_create,
  k_wait,
  k_cpu,
  k_node,
  k_first,
  k_iterations,
  k_function,
  k_undeferred,
  kKeys
};
constexpr const char* kKeyNames[kKeys] = {"grain",          "id",       "source",    "parent", "exec_ns",
                                          "create_cost_ns", "wait_ns",  "cpu",       "node",   "first_iteration",
                                          "iterations",     "function", "undeferred"};

// Protobuf's texts are UTF-8.
class PerfettoWriter {
 public:
  PerfettoWriter(const Profile& p, const Timeline& t, ExportOptions& o)
      : p_(p), timeline_(t), options_(o), places_(p) {}
  std::string run();

 private:
  void describe();
  void lane(uint32_t t);
  void begin(const Span& s, uint32_t t);
  void annotate(const Span& s, Message& e);
  void put(Message& e, Key k, int field, uint64_t v) {
    e.message(event::annotation, [&](Message& m) { m.number(annotation::name_iid, intern_key(k)).number(field, v); });
  }
  void integer(Message& e, Key k, int64_t v) {
    if (v >= 0) put(e, k, annotation::integer, uint64_t(v));
  }
  uint64_t intern_key(Key k);
  uint64_t intern_name(const Span& s);
  uint64_t intern_location(uint32_t source);
  uint64_t intern_place(uint32_t source);
  void emit(Message& p) {
    Message t;
    t.message(trace::packet, p);
    file_.write(t.bytes());
  }
  std::string name(const Span& s) const;
  bool has_place(uint32_t source) const { return source < p_.sources.size(); }

  const Profile& p_;
  const Timeline& timeline_;
  ExportOptions& options_;
  Places places_;
  OutputFile file_;
  Message fresh_;                                                    // interned data that the next packet brings
  std::unordered_set<uint64_t> keys_, names_, locations_, strings_;  // known to the sequence
};

// "task fib.c:12", "taskwait fib.c:14", "idle".
std::string PerfettoWriter::name(const Span& s) const {
  std::string what;
  const std::string construct = has_place(s.source) ? p_.sources[s.source].construct : std::string();
  switch (s.kind) {
    case SpanKind::fragment:
      if (s.grain == 0) return "program";
      what = profile::kGrainKindNames[size_t(p_.grains[s.grain].kind)];
      break;
    case SpanKind::create: what = "create " + (construct.empty() ? "task" : construct); break;
    case SpanKind::wait: what = construct.empty() ? "wait" : construct; break;
    case SpanKind::region: what = construct.empty() ? "parallel" : construct; break;
    default: what = profile::kSpanKindNames[size_t(s.kind)];
  }
  return has_place(s.source) ? what + " " + printable(places_(s.source)) : what;
}

uint64_t PerfettoWriter::intern_key(Key k) {
  const uint64_t iid = uint64_t(k) + 1;
  if (keys_.insert(iid).second)
    fresh_.message(interned::annotation_names,
                   [&](Message& m) { m.number(interned::iid, iid).text(interned::text, kKeyNames[k]); });
  return iid;
}

uint64_t PerfettoWriter::intern_name(const Span& s) {
  const uint64_t kind =
      s.kind == SpanKind::fragment && s.grain != kNone ? 32 + uint64_t(p_.grains[s.grain].kind) : uint64_t(s.kind);
  const uint64_t iid = 1 + (uint64_t(s.source) << 6 | kind);
  if (names_.insert(iid).second)
    fresh_.message(interned::event_names,
                   [&](Message& m) { m.number(interned::iid, iid).text(interned::text, name(s)); });
  return iid;
}

uint64_t PerfettoWriter::intern_location(uint32_t source) {
  const profile::Source& s = p_.sources[source];
  const uint64_t iid = uint64_t(source) + 1;
  if (locations_.insert(iid).second)
    fresh_.message(interned::locations, [&](Message& m) {
      m.number(location::iid, iid)
          .text(location::file, printable(s.file))
          .text(location::function, printable(s.function))
          .number(location::line, s.line);
    });
  return iid;
}

uint64_t PerfettoWriter::intern_place(uint32_t source) {
  const uint64_t iid = uint64_t(source) + 1;
  if (strings_.insert(iid).second) {
    const profile::Source& s = p_.sources[source];
    const std::string where = s.line ? fmt::format("{}:{}", printable(s.file), s.line) : printable(places_(source));
    fresh_.message(interned::strings, [&](Message& m) { m.number(interned::iid, iid).text(interned::text, where); });
  }
  return iid;
}

void PerfettoWriter::annotate(const Span& s, Message& e) {
  put(e, k_grain, annotation::integer, s.grain);
  const Grain& g = p_.grains[s.grain];
  if (!s.first && s.kind != SpanKind::create) return;
  std::string id;
  append_id(g, id);
  e.message(event::annotation,
            [&](Message& m) { m.number(annotation::name_iid, intern_key(k_id)).text(annotation::string, id); });
  if (has_place(s.source)) put(e, k_source, annotation::string_iid, intern_place(s.source));
  if (s.kind == SpanKind::create) return;
  if (g.parent != kNone) integer(e, k_parent, g.parent);
  integer(e, k_exec, g.exec);
  integer(e, k_create, g.create_cost);
  integer(e, k_wait, g.wait);
  if (g.cpu != 0xffff) integer(e, k_cpu, g.cpu);
  if (g.node != 0xffff) integer(e, k_node, g.node);
  integer(e, k_first, g.first_iteration);
  integer(e, k_iterations, g.iterations);
  if (g.flags & profile::kUndeferred) put(e, k_undeferred, annotation::boolean, 1);
}

void PerfettoWriter::begin(const Span& s, uint32_t t) {
  Message e;
  e.number(event::type, event::slice_begin)
      .number(event::track, kFirstThread + t)
      .number(event::name_iid, intern_name(s));
  const uint64_t category = uint64_t(s.kind) + 1;
  if (keys_.insert(1000 + category).second)
    fresh_.message(interned::categories, [&](Message& m) {
      m.number(interned::iid, category).text(interned::text, profile::kSpanKindNames[size_t(s.kind)]);
    });
  e.number(event::category_iid, category);
  if (has_place(s.source) && p_.sources[s.source].line) e.number(event::location_iid, intern_location(s.source));
  const bool of_grain = s.kind == SpanKind::fragment || s.kind == SpanKind::chunk || s.kind == SpanKind::create;
  if (of_grain && s.grain < p_.grains.size()) {
    annotate(s, e);
    if (s.kind == SpanKind::create) e.fixed64(event::flow, uint64_t(s.grain) + 1);
    else if (s.first && p_.grains[s.grain].kind == GrainKind::task)
      e.fixed64(event::end_of_flow, uint64_t(s.grain) + 1);
  }
  Message p;
  p.number(packet::timestamp, uint64_t(std::max<int64_t>(0, s.begin)))
      .number(packet::sequence, t + 2)
      .number(packet::flags, kNeedsState);
  if (!fresh_.empty()) p.message(packet::interned, fresh_);
  fresh_.clear();
  p.message(packet::track_event, e);
  emit(p);
}

void PerfettoWriter::lane(uint32_t t) {
  keys_.clear(), names_.clear(), locations_.clear(), strings_.clear();
  Message start;
  start.number(packet::sequence, t + 2).number(packet::flags, kCleared).number(packet::first_on_sequence, 1);
  emit(start);
  auto end = [&](const Span& s) {
    Message p;
    p.number(packet::timestamp, uint64_t(std::max<int64_t>(0, s.end)))
        .number(packet::sequence, t + 2)
        .number(packet::flags, kNeedsState);
    p.message(packet::track_event,
              [&](Message& e) { e.number(event::type, event::slice_end).number(event::track, kFirstThread + t); });
    emit(p);
  };
  walk(timeline_.threads[t], [&](const Span& s) { begin(s, t); }, end);
}

// The process and its threads.
void PerfettoWriter::describe() {
  constexpr int kPid = 1;  // the recording does not have the process's
  Message p;
  p.number(packet::sequence, 1).message(packet::descriptor, [&](Message& d) {
    d.number(descriptor::uuid, kProcess).message(descriptor::process, [&](Message& m) {
      m.number(process::pid, kPid);
      for (const std::string& a : p_.argv) m.text(process::cmdline, printable(a));
      m.text(process::name, printable(p_.program));
    });
  });
  emit(p);
  for (uint32_t t = 0; t < timeline_.threads.size(); ++t) {
    const profile::Thread& described = p_.threads[t];
    Message q;
    q.number(packet::sequence, 1).message(packet::descriptor, [&](Message& d) {
      d.number(descriptor::uuid, kFirstThread + t).message(descriptor::thread, [&](Message& m) {
        m.number(thread::pid, kPid).number(thread::tid, described.os_tid ? described.os_tid : 1'000'000'000 + t);
        m.text(thread::name, described.initial ? fmt::format("thread {} (initial)", t) : fmt::format("thread {}", t));
      });
    });
    emit(q);
  }
}

std::string PerfettoWriter::run() {
  if (!file_.open(options_.out)) return file_.error();
  describe();
  for (uint32_t t = 0; t < timeline_.threads.size() && file_.good(); ++t) {
    lane(t);
    if (options_.progress) options_.progress(double(t + 1) / double(timeline_.threads.size()));
  }
  file_.commit();
  return file_.error();
}

}  // namespace

std::string export_perfetto(const Profile& p, const Timeline& t, ExportOptions& options) {
  return PerfettoWriter(p, t, options).run();
}

}  // namespace einkorn::report

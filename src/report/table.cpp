#include "report/table.h"
#include <string_view>
#include <unordered_map>
#include <utility>
#include "report/findings/findings.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Aggregate;
using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Profile;
using profile::Source;

int64_t index_or_absent(uint32_t v) { return v == kNone ? kNoInteger : int64_t(v); }
int64_t small_or_absent(uint16_t v) { return v == 0xffff ? kNoInteger : int64_t(v); }
int64_t time_or_absent(int64_t v) { return v < 0 ? kNoInteger : v; }

int64_t none_of(const Aggregate&) { return kNoInteger; }

// Rows are the grains, then the aggregates: what these have no value for is absent there.
class Maker {
 public:
  explicit Maker(const Profile& p) : p_(p) { table_.rows = p.grains.size() + p.aggregates.size(); }

  template <class F, class A = int64_t (*)(const Aggregate&)>
  void integer(const char* name, const char* what, F f, bool required = false, A of_aggregate = none_of) {
    Column& c = add(name, what, ColumnType::integer);
    c.required = required;
    c.integer = [&p = p_, f, of_aggregate](size_t i) {
      return i < p.grains.size() ? f(p.grains[i]) : of_aggregate(p.aggregates[i - p.grains.size()]);
    };
  }
  void flag(const char* name, const char* what, uint16_t bit) {
    Column& c = add(name, what, ColumnType::boolean);
    c.required = p_.aggregates.empty();
    c.integer = [&grains = p_.grains, bit](size_t i) {
      return i < grains.size() ? int64_t((grains[i].flags & bit) != 0) : kNoInteger;
    };
  }
  // A text of the grain's source.
  template <class F>
  void source_text(const char* name, const char* what, F f) {
    Column& c = add(name, what, ColumnType::text);
    std::vector<uint32_t> codes(p_.sources.size(), kNone);
    std::unordered_map<std::string, uint32_t> known;
    for (size_t s = 0; s < p_.sources.size(); ++s) {
      const std::string text = utf8(f(p_.sources[s]));
      if (text.empty()) continue;
      auto [it, added] = known.try_emplace(text, uint32_t(c.texts.size()));
      if (added) c.texts.push_back(text);
      codes[s] = it->second;
    }
    c.code = [&p = p_, codes = std::move(codes)](size_t i) {
      const size_t grains = p.grains.size();
      uint32_t s = i < grains ? p.grains[i].source : p.aggregates[i - grains].source;
      return s < codes.size() ? codes[s] : kNone;
    };
  }
  template <class F>
  void footprint(const char* name, const char* what, F f) {
    integer(name, what, [&p = p_, f](const Grain& g) {
      return g.footprint < p.footprints.size() ? int64_t(f(p.footprints[g.footprint])) : kNoInteger;
    });
  }
  Column& add(const char* name, const char* what, ColumnType type) {
    Column& c = table_.columns.emplace_back();
    c.name = name;
    c.what = what;
    c.type = type;
    return c;
  }
  void identity();
  void place();
  void times();
  void counters();
  void flags();
  void metrics(const profile::Metrics& m);
  Table take() { return std::move(table_); }

 private:
  const Profile& p_;
  Table table_;
};

void Maker::identity() {
  Column& number = add("grain", "Row number, from 0: what `parent` refers to", ColumnType::integer);
  number.required = true;
  number.integer = [](size_t i) { return int64_t(i); };
  Column& id = add(
      "id", "Identity that does not depend on the schedule: the same in every recording of the program with this input",
      ColumnType::id);
  id.required = p_.aggregates.empty();
  id.integer = [n = p_.grains.size()](size_t i) { return i < n ? 1 : kNoInteger; };
  integer(
      "parent",
      "Creating grain; of a share or chunk: its implicit task; of aggregated ones: their nearest recorded ancestor",
      [](const Grain& g) { return index_or_absent(g.parent); }, false,
      [](const Aggregate& a) { return index_or_absent(a.grain); });
  Column& kind =
      add("kind",
          "initial, implicit (no work of its own), share, chunk or task; aggregated tasks, aggregated chunks: "
          "those of one place below one grain that were counted, not recorded one by one",
          ColumnType::text);
  kind.required = true;
  kind.texts.assign(std::begin(profile::kGrainKindNames), std::end(profile::kGrainKindNames));
  if (!p_.aggregates.empty()) kind.texts.insert(kind.texts.end(), {"aggregated tasks", "aggregated chunks"});
  kind.code = [&p = p_](size_t i) {
    const size_t grains = p.grains.size();
    return i < grains ? uint32_t(p.grains[i].kind)
                      : uint32_t(std::size(profile::kGrainKindNames)) + p.aggregates[i - grains].chunks;
  };
  integer(
      "instances", "Grains that the row stands for: 1; aggregated ones: how many were executed",
      [](const Grain&) { return int64_t(1); }, true, [](const Aggregate& a) { return int64_t(a.executed); });
  integer("ordinal", "Among the parent's children of its kind, in the order of creation; implicit: thread number",
          [](const Grain& g) { return index_or_absent(g.ordinal); });
  const bool always = p_.aggregates.empty();
  integer("depth", "Tasks above it", [](const Grain& g) { return int64_t(g.depth); }, always);
  integer("children", "Grains that it is the parent of", [](const Grain& g) { return int64_t(g.children); }, always);
  source_text("file", "Source file of its construct", [](const Source& s) -> const std::string& { return s.file; });
  auto line = [&p = p_](const auto& g) {
    return g.source < p.sources.size() && p.sources[g.source].line ? int64_t(p.sources[g.source].line) : kNoInteger;
  };
  integer("line", "Line in it", line, false, line);
  source_text("function", "Enclosing user function", [](const Source& s) -> const std::string& { return s.function; });
  source_text("construct", "task, taskloop, loop, parallel, ...",
              [](const Source& s) -> const std::string& { return s.construct; });
  integer("region", "Parallel region it ran in, numbered in the order of the program",
          [](const Grain& g) { return index_or_absent(g.region); });
  integer("loop", "chunk: loop instance, numbered in the order of the program",
          [](const Grain& g) { return index_or_absent(g.loop); });
  integer(
      "first_iteration",
      "chunk, piece of a taskloop: first logical iteration; codelet: its number in its class; by hand: the program's for it",
      [](const Grain& g) { return time_or_absent(g.first_iteration); });
  integer("iterations", "chunk, piece of a taskloop: how many; codelet: 1",
          [](const Grain& g) { return time_or_absent(g.iterations); });
}

void Maker::place() {
  integer("thread", "Thread that ran its first fragment", [](const Grain& g) { return index_or_absent(g.thread); });
  integer("creator", "Thread that created it", [](const Grain& g) { return index_or_absent(g.creator); });
  integer("cpu", "CPU of its first fragment", [](const Grain& g) { return small_or_absent(g.cpu); });
  integer("node", "Memory node of its first fragment", [](const Grain& g) { return small_or_absent(g.node); });
  integer("creator_node", "Memory node that it was created on",
          [](const Grain& g) { return small_or_absent(g.creator_node); });
}

void Maker::times() {
  integer("create_begin_ns", "Begin of its creation; chunk: of the book-keeping before it",
          [](const Grain& g) { return time_or_absent(g.create_begin); });
  integer("create_cost_ns", "Cost of its creation; chunk: of the book-keeping before it",
          [](const Grain& g) { return time_or_absent(g.create_cost); });
  integer("begin_ns", "Begin of its first fragment, since the recording's begin",
          [](const Grain& g) { return time_or_absent(g.begin); });
  integer("end_ns", "End of its last fragment", [](const Grain& g) { return time_or_absent(g.end); });
  integer(
      "exec_ns",
      "Execution: own user code, without children run inside it, waits, locks and the runtime; aggregated: of all",
      [](const Grain& g) { return g.fragments ? g.exec : kNoInteger; }, false,
      [](const Aggregate& a) { return a.executed ? a.exec : kNoInteger; });
  integer("wait_ns", "Time that its waits took, what ran inside included",
          [](const Grain& g) { return g.fragments || g.kind == GrainKind::implicit ? g.wait : kNoInteger; });
  integer(
      "fragments", "Stretches that waits and creations cut it into",
      [](const Grain& g) { return int64_t(g.fragments); }, p_.aggregates.empty());
  if (!p_.aggregates.empty()) {
    auto none = [](const Grain&) { return kNoInteger; };
    integer("created", "aggregated tasks: how many were created", none, false,
            [](const Aggregate& a) { return a.chunks ? kNoInteger : int64_t(a.created); });
    integer("exec_least_ns", "aggregated ones: execution of the shortest", none, false,
            [](const Aggregate& a) { return a.executed ? a.least : kNoInteger; });
    integer("exec_most_ns", "aggregated ones: execution of the longest", none, false,
            [](const Aggregate& a) { return a.executed ? a.most : kNoInteger; });
  }
  footprint("footprint_bytes", "What it said that it touches", [](const profile::Footprint& f) { return f.bytes; });
  footprint("footprint_known_bytes", "Of these, on nodes that were known",
            [](const profile::Footprint& f) { return f.known; });
  footprint("footprint_remote_bytes", "Of the known ones, on another node than it ran on",
            [](const profile::Footprint& f) { return f.remote; });
}

void Maker::counters() {
  for (const record::Counter c : p_.counted.counters) {
    if (c == record::Counter::page_faults) continue;  // a metric
    Column& column = add(record::counter_info(c).key, "What its thread's counter of that name saw in its own code",
                         ColumnType::integer);
    column.integer = [&p = p_, c](size_t i) {
      const uint64_t n = p.counted.of(uint32_t(i), c);  // of no aggregate
      return n == record::kUncounted ? kNoInteger : int64_t(n);
    };
  }
}

void Maker::flags() {
  flag("undeferred", "Its creator ran it at once", profile::kUndeferred);
  flag("final", "A final task", profile::kFinal);
  flag("untied", "An untied task", profile::kUntied);
  flag("mergeable", "A mergeable task", profile::kMergeable);
  flag("included", "Made by a final task: run at once", profile::kIncluded);
  flag("inlined", "It was the runtime that chose to run it at once rather than queue it", profile::kInlined);
  flag("has_depend", "It has a depend clause", profile::kHasDepend);
  flag(
      "estimated",
      "Some of its times come from a stretch with lost records, or whom it waited for in a run of codelets is not known",
      profile::kEstimated);
  flag("incomplete", "Its end was not recorded", profile::kIncomplete);
  flag("perturbed", "Shorter than ten times the recorder's own cost: its times are upper bounds", profile::kPerturbed);
}

void Maker::metrics(const profile::Metrics& m) {
  for (const profile::MetricInfo& info : profile::metrics_table()) {
    if (info.level() != profile::MetricLevel::grain) continue;
    // What the times have already.
    if (info.metric == profile::Metric::exec || info.metric == profile::Metric::creation) continue;
    Column& c = add("", info.definition, ColumnType::real);
    c.name = info.key;
    if (*info.unit && std::string_view(info.unit) == "ns") c.name += "_ns";
    c.real = [&m, metric = info.metric, n = p_.grains.size()](size_t i) {
      return i < n ? m.of_grain(metric, uint32_t(i)) : std::numeric_limits<float>::quiet_NaN();
    };
  }
}

}  // namespace

Table grain_table(const Profile& p, const profile::Metrics& metrics) {
  Maker m(p);
  m.identity();
  m.place();
  m.times();
  m.counters();
  m.flags();
  m.metrics(metrics);
  return m.take();
}

profile::Metrics table_metrics(const Profile& p, const profile::Baseline& baseline) {
  profile::MetricOptions options = metric_options(p);
  options.grain_metrics = profile::MetricOptions().grain_metrics;
  options.baseline = baseline;
  return compute_metrics(p, options);
}

void append_id(const Grain& g, std::string& out) {
  static const char* kDigits = "0123456789abcdef";
  for (uint64_t half : {g.id_high, g.id_low})
    for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[half >> shift & 15];
}

}  // namespace einkorn::report

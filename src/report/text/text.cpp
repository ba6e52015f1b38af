#include "report/text/text.h"
#include <algorithm>
#include <cmath>
#include <string_view>
#include <fmt/format.h>
#include "report/aggregates.h"
#include "report/findings/findings.h"
#include "report/locality.h"
#include "report/nameless.h"
#include "report/recording_cost.h"
#include "report/source_costs.h"
#include "report/text/allocations.h"
#include "report/text/counters.h"
#include "report/text/table.h"
#include "report/validity.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::kNone;
using profile::kStates;
using profile::Profile;
using profile::State;

constexpr size_t kLines = 10;       // source lines shown
constexpr size_t kThreadRows = 16;  // more threads than this are not listed
constexpr size_t kProblems = 5, kLocks = 5;
constexpr size_t kBar = 40;
// By state: work green, overhead yellow, idle and blocked red, serial blue, the rest grey.
constexpr const char* kStateColors[kStates] = {"\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[31m",
                                               "\x1b[34m", "\x1b[90m", "\x1b[90m", "\x1b[90m"};

using Table = TextTable;

int64_t sum(const profile::StateTimes& times) {
  int64_t all = 0;
  for (int64_t t : times) all += t;
  return all;
}

// The most expensive first; where times mean nothing, those of the most grains.
std::vector<SourceCost> ranked_costs(const Profile& p) {
  std::vector<SourceCost> costs = source_costs(p);
  if (!p.times_valid)
    std::stable_sort(costs.begin(), costs.end(), [](auto& a, auto& b) { return a.grains > b.grains; });
  return costs;
}

// Where times are not valid its tables have counts, bytes, and how the threads' time divides; no seconds.
class TextReport {
 public:
  TextReport(const Profile& p, const TextOptions& options, const profile::MetricOptions& metrics)
      : p_(p),
        options_(options),
        places_(p),
        costs_(ranked_costs(p)),
        metrics_(compute_metrics(p, metrics)),
        where_(locality(p)) {}
  std::string run() {
    program();
    thread_time();
    if (p_.threads.size() > 1 && p_.threads.size() <= kThreadRows) threads();
    source_lines();
    counters();
    aggregates();
    where_tasks_ran();
    allocations();
    critical_path();
    codelets();
    locks();
    const std::vector<Finding> found = find_problems(p_, metrics_);
    problems(found);
    warnings();
    out_ += '\n' + bold(verdict(p_, found)) + '\n';
    return std::move(out_);
  }

 private:
  void program();
  void thread_time();
  void threads();
  void source_lines();
  void counters();
  void aggregates();
  void where_tasks_ran();
  void allocations();
  void critical_path();
  void codelets();
  void locks();
  void problems(const std::vector<Finding>&);
  void warnings();
  std::string bold(const std::string& s) const { return options_.color ? fmt::format("{}{}{}", kBold, s, kPlain) : s; }
  void title(const std::string& s) { out_ += '\n' + bold(s) + '\n'; }
  // A row that ends in times.
  void row(Table& table, std::vector<std::string> cells, const std::vector<std::string>& times) const {
    if (p_.times_valid) cells.insert(cells.end(), times.begin(), times.end());
    table.row(std::move(cells));
  }

  const Profile& p_;
  const TextOptions& options_;
  const Places places_;
  const std::vector<SourceCost> costs_;
  const profile::Metrics metrics_;
  const Locality where_;
  std::string out_;
};

// The command as it was typed, as far as a line holds it.
std::string command_line(const Profile& p, size_t width) {
  std::string line;
  for (const std::string& a : p.argv) line += (line.empty() ? "" : " ") + a;
  if (line.empty()) line = p.program.empty() ? "unknown program" : p.program;
  line = printable(std::move(line));
  return line.size() > width ? fmt::format("{}...", line.substr(0, width - 3)) : line;
}

void TextReport::program() {
  out_ += bold(command_line(p_, std::max(20u, options_.width))) + '\n';
  std::string line = fmt::format("{} wall time{} on {}", duration(p_.wall_ns), p_.times_valid ? "" : " (not valid)",
                                 plural(p_.threads.size(), "thread"));
  if (p_.cpus > 0) line += fmt::format(", {}", plural(p_.cpus, "CPU"));
  if (!p_.host.empty()) line += fmt::format(", {}", p_.host);
  if (!p_.started.empty()) line += fmt::format(", {}", p_.started);
  out_ += line + '\n';
  out_ += fmt::format("{}, {}, {} in {}\n", plural(p_.totals.tasks, "task"), plural(p_.totals.chunks, "loop chunk"),
                      plural(p_.totals.shares, "share"), plural(p_.totals.regions, "parallel region"));
  out_ += fmt::format("Recorded: {}\n", level(p_));
  if (!p_.absent.empty()) out_ += fmt::format("Recorded on {}, which does not tell: {}\n", p_.runtime, p_.absent);
}

void TextReport::thread_time() {
  title("Where the threads' time went");
  const int64_t all = sum(p_.thread_time);
  const Scale scale(all);
  const auto row_of = [&](const char* name, int64_t t, const std::string& part, const std::string& rest) {
    if (p_.times_valid) return std::vector<std::string>{name, fmt::format("{} {}", scale(t), scale.unit), part, rest};
    return std::vector<std::string>{name, part, rest};
  };
  Table table;
  std::vector<int> shown;
  for (int s = 0; s < kStates; ++s) {
    const int64_t t = p_.thread_time[size_t(s)];
    if (t <= 0 && s != int(State::work)) continue;
    shown.push_back(s);
    table.row(row_of(profile::kStateNames[s], t, percent(double(t), double(all)),
                     std::string(all > 0 ? size_t(double(kBar) * double(t) / double(all) + 0.5) : 0, '#')));
  }
  table.row(row_of("total", all, "100.0 %", ""));
  if (const double inflation = metrics_[profile::Metric::split_inflation]; p_.times_valid && !std::isnan(inflation))
    table.row(row_of("inflation", int64_t(inflation),
                     fmt::format("{:.1f} %", 100 * inflation / double(std::max<int64_t>(1, all))),
                     "part of the work: beyond the baseline's"));
  std::string text;
  table.print(text, p_.times_valid ? "lrrl" : "lrl");
  if (options_.color) {  // after the columns are laid out: escapes have no width
    std::string colored;
    size_t at = 0;
    for (int s : shown) {
      const size_t end = text.find('\n', at), bar = std::min(end, text.find('#', at));
      colored += text.substr(at, bar - at) + kStateColors[s] + text.substr(bar, end - bar) + kPlain + '\n';
      at = end + 1;
    }
    text = colored + text.substr(at);
  }
  out_ += text;
  if (const profile::RecordingCost cost = profile::recording_cost(p_); cost.known())
    out_ += fmt::format(
        "Recording took {} of CPU time: {} in the state recorder, about {} in others for {}, {} of the "
        "writer's\n",
        duration(cost.threads + cost.stamps + cost.writer, 2), duration(cost.threads, 2), duration(cost.stamps, 2),
        plural(p_.totals.stamps, "stamp"), duration(cost.writer, 2));
}

void TextReport::threads() {
  const Scale scale([&] {
    int64_t longest = 0;
    for (const profile::Thread& t : p_.threads) longest = std::max(longest, t.in_team);
    return longest;
  }());
  out_ += '\n';
  Table table;
  std::vector<std::string> head = {fmt::format("thread ({})", p_.times_valid ? scale.unit : "%")};
  std::vector<size_t> shown;
  for (size_t s = 0; s < size_t(kStates); ++s) {
    if (p_.thread_time[s] <= 0 && s != 0) continue;
    shown.push_back(s);
    head.push_back(profile::kStateNames[s]);
  }
  head.push_back("total");
  const std::string align = 'l' + std::string(head.size() - 1, 'r');
  table.row(std::move(head));
  for (size_t i = 0; i < p_.threads.size(); ++i) {
    const profile::Thread& t = p_.threads[i];
    std::vector<std::string> row = {fmt::format("{}{}", i, t.initial ? ", initial" : "")};
    const int64_t all = sum(t.times);
    const auto cell = [&](int64_t time) {
      return p_.times_valid ? scale(time) : fmt::format("{:.1f}", all > 0 ? 100 * double(time) / double(all) : 0.0);
    };
    for (size_t s : shown) row.push_back(cell(t.times[s]));
    row.push_back(cell(all));
    table.row(std::move(row));
  }
  table.print(out_, align);
}

// Only where there are several nodes to run on.
void TextReport::where_tasks_ran() {
  const Locality& l = where_;
  if (l.nodes < 2) return;
  uint64_t tasks = 0;
  int64_t exec = 0;
  for (int i = 0; i < kNearnesses; ++i) tasks += l.tasks[i], exec += l.exec[i];
  if (tasks == 0 && l.footprints == 0) return;
  title(fmt::format("Where tasks ran, on {} nodes", l.nodes));
  Table table;
  row(table, {"taken from", "tasks", "share"}, {"time", "share"});
  for (int i = 0; i < kNearnesses; ++i)
    row(table, {kNearnessNames[i], count(l.tasks[i]), percent(double(l.tasks[i]), double(tasks))},
        {duration(l.exec[i]), percent(double(l.exec[i]), double(exec))});
  table.print(out_, p_.times_valid ? "lrrrr" : "lrr");
  if (l.footprints == 0) return;
  out_ += fmt::format("Footprints of {}: {} MB{}, of which {} on known nodes; {} of that remote\n",
                      plural(l.footprints, "task"), l.bytes / 1000000, l.estimated ? " (lengths estimated)" : "",
                      percent(double(l.known), double(l.bytes)), percent(double(l.remote), double(l.known)));
  const std::vector<SourceBytes> bytes = bytes_by_source(p_);
  std::vector<size_t> order;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i].remote > 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return bytes[a].remote > bytes[b].remote; });
  if (order.empty()) return;
  Table lines;
  lines.row({"line", "remote MB", "of its footprint"});
  for (size_t i = 0; i < std::min(kProblems, order.size()); ++i) {
    const SourceBytes& b = bytes[order[i]];
    lines.row({places_(order[i] < p_.sources.size() ? uint32_t(order[i]) : kNone),
               fmt::format("{:.1f}", double(b.remote) * 1e-6), percent(double(b.remote), double(b.known))});
  }
  lines.print(out_, "lrr");
}

void TextReport::source_lines() {
  if (costs_.empty()) return;
  title(p_.times_valid ? "Most expensive source lines" : "Source lines of the most grains");
  int64_t all = 0;
  for (const SourceCost& c : costs_) all += c.exec;
  constexpr size_t kFunction = 2;
  Table table;
  bool perturbed = false;
  row(table, {"line", "construct", "function", "grains"}, {"total", "share", "mean", "median", "creation"});
  for (size_t i = 0; i < std::min(kLines, costs_.size()); ++i) {
    const SourceCost& c = costs_[i];
    const bool known = c.source != kNone;
    const bool rough = c.executed > 0 && 2 * c.perturbed >= c.executed;
    perturbed |= rough;
    auto grain_time = [&](int64_t t) { return t < 0 ? "-" : fmt::format("{}{}", rough ? "~" : "", duration(t)); };
    row(table,
        {places_(c.source), known ? p_.sources[c.source].construct : profile::kGrainKindNames[size_t(c.kind)],
         known ? printable(p_.sources[c.source].function) : "", count(c.grains)},
        {duration(c.exec), percent(double(c.exec), double(all)), grain_time(c.mean()), grain_time(c.median),
         c.created ? duration(c.mean_create_cost()) : "-"});
  }
  size_t others = 0;
  for (size_t c = 0; c < table.columns(); ++c) others += 2 + (c == kFunction ? 0 : table.width_of(c));
  constexpr size_t kLeast = 16;  // of a function's name
  table.cut(kFunction, options_.width > others + kLeast ? options_.width - others : kLeast);
  table.print(out_, p_.times_valid ? "lllrrrrrr" : "lllr");
  if (costs_.size() > kLines) out_ += fmt::format("  ... and {} more\n", plural(costs_.size() - kLines, "line"));
  if (perturbed && p_.times_valid)
    out_ +=
        "  ~ most of these grains are shorter than ten times the recorder's probe: take their times as upper bounds\n";
  if (const std::string about = about_nameless(p_, costs_); !about.empty()) out_ += about + ".\n";
}

void TextReport::counters() {
  const std::string text = counters_text(p_, places_, kLines);
  if (text.empty()) return;
  title("What the counters saw");
  out_ += text;
}

void TextReport::allocations() {
  const std::string text = allocations_text(p_, places_, where_, kLines);
  if (p_.totals.allocating_calls < 0 && p_.machine.empty() && p_.predicted.empty() && where_.nodes > 1)
    out_ += fmt::format(
        "\nGrains ran on {} memory nodes: einkorn record --allocations tells on which of them large blocks of memory lie\n",
        where_.nodes);
  if (text.empty()) return;
  title("Large blocks of memory, by who allocates them");
  out_ += text;
}

void TextReport::aggregates() {
  std::vector<SourceAggregate> all = aggregates_by_source(p_);
  if (all.empty()) return;
  if (!p_.times_valid)
    std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.executed > b.executed; });
  title("Counted, not recorded one by one");
  Table table;
  constexpr int64_t kShort = 500;  // ns: ten times what counting one takes
  bool perturbed = false;
  row(table, {"line", "construct", "executed"}, {"total", "mean", "longest"});
  for (size_t i = 0; i < std::min(kLines, all.size()); ++i) {
    const SourceAggregate& a = all[i];
    const bool ran = a.executed > 0;
    row(table,
        {places_(a.source),
         a.source < p_.sources.size() ? p_.sources[a.source].construct
         : a.chunks                   ? "loop"
                                      : "task",
         count(a.executed)},
        {duration(a.exec),
         ran ? fmt::format("{}{}", a.exec / int64_t(a.executed) < kShort ? "~" : "",
                           duration(a.exec / int64_t(a.executed)))
             : "-",
         ran ? duration(a.most) : "-"});
    perturbed |= ran && a.exec / int64_t(a.executed) < kShort;
  }
  table.print(out_, p_.times_valid ? "llrrrr" : "llr");
  if (perturbed && p_.times_valid)
    out_ += "  ~ shorter than ten times what counting them takes: take their times as upper bounds\n";
  if (all.size() > kLines) out_ += fmt::format("  ... and {} more\n", plural(all.size() - kLines, "line"));
}

void TextReport::critical_path() {
  if (p_.graph.nodes.empty() || p_.critical_path_ns <= 0) return;
  using profile::Metric;
  if (!p_.times_valid) {
    if (p_.chained_tasks == 0) return;
    title("Longest chain");
    out_ +=
        fmt::format("  {} of {} in a row: {} could run at a time, if all were as long\n", count(p_.longest_chain),
                    plural(p_.chained_tasks, "task"), significant(double(p_.chained_tasks) / double(p_.longest_chain)));
    return;
  }
  title("Critical path");
  const double threads = metrics_[Metric::threads], hold = metrics_[Metric::largest_hold],
               of_threads = metrics_[Metric::speedup_bound];
  // A lock is held by one at a time on any number of threads.
  const double longest = std::max(double(p_.critical_path_ns), std::isnan(hold) ? 0 : hold);
  out_ += fmt::format(
      "  {} ({} with overhead), parallelism {}: on any number of threads at most {} times as fast as on one\n",
      duration(p_.critical_path_ns), duration(p_.burdened_path_ns), significant(p_.parallelism),
      significant(p_.parallelism * double(p_.critical_path_ns) / longest));
  int64_t stopped = 0;
  const profile::Stop* longest_stop = nullptr;
  std::vector<bool> critical(p_.stops.empty() ? 0 : p_.grains.size());
  for (const profile::Node& n : p_.graph.nodes)
    if (n.critical && n.weight > 0 && n.grain < critical.size()) critical[n.grain] = true;
  for (const profile::Stop& s : p_.stops) {
    if (!critical[s.grain]) continue;
    stopped += s.ns;
    if (!longest_stop || s.ns > longest_stop->ns) longest_stop = &s;
  }
  if (longest_stop)
    out_ += fmt::format(
        "  {} of it is no work: threads were taken off their CPUs in grains on it, for {} in one of {}. Predictions leave that out\n",
        duration(stopped), duration(longest_stop->ns), Places(p_)(p_.grains[longest_stop->grain].source));
  if (std::isnan(threads) || std::isnan(of_threads)) return;
  out_ += fmt::format(
      "  {} threads worked at a time, of {}: on so many at most {}, with a greedy schedule at least {}, with its burden about {}\n",
      significant(metrics_[Metric::speedup]), significant(threads), significant(of_threads),
      significant(metrics_[Metric::brent_speedup]), significant(metrics_[Metric::burdened_speedup]));
}

// Classes of graphs, and places of procedures; those that took most. The page has them as a picture.
void TextReport::codelets() {
  if (p_.codelets.empty()) return;
  std::vector<const profile::Codelet*> order;
  for (const profile::Codelet& c : p_.codelets)
    if (c.executed > 0) order.push_back(&c);
  if (order.empty()) return;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto* a, auto* b) { return p_.times_valid ? a->exec > b->exec : a->executed > b->executed; });
  title("Codelets");
  Table table;
  row(table, {"line", "of", "at", "executed"}, {"total", "median", "of the path"});
  for (size_t i = 0; i < std::min(kLines, order.size()); ++i) {
    const profile::Codelet& c = *order[i];
    const profile::CodeletGraph& g = p_.codelet_graphs[c.graph];
    row(table,
        {places_(c.source), shortened(fmt::format("{}{}", g.procedure ? "" : "graph ", printable(g.name)), 24),
         c.at == kNone ? "" : fmt::format("{}", c.at), count(c.executed)},
        {duration(c.exec), c.median < 0 ? "-" : duration(c.median),
         percent(double(c.critical), double(p_.critical_path_ns))});
  }
  table.print(out_, p_.times_valid ? "llrrrrr" : "llrr");
  if (order.size() > kLines) out_ += fmt::format("  ... and {} more\n", plural(order.size() - kLines, "codelet"));
}

void TextReport::locks() {
  std::vector<const profile::LockUse*> contended;
  for (const profile::LockUse& l : p_.locks)
    if (l.contended > 0) contended.push_back(&l);
  if (contended.empty()) return;
  std::stable_sort(contended.begin(), contended.end(), [&](auto* a, auto* b) {
    return p_.times_valid ? a->waited > b->waited : a->contended > b->contended;
  });
  title("Contended locks");
  Table table;
  row(table, {"line", "construct", "acquired", "contended"}, {"waited", "held"});
  for (size_t i = 0; i < std::min(kLocks, contended.size()); ++i) {
    const profile::LockUse& l = *contended[i];
    row(table,
        {places_(l.source), l.source < p_.sources.size() ? p_.sources[l.source].construct : "lock", count(l.acquired),
         percent(double(l.contended), double(l.acquired))},
        {duration(l.waited), duration(l.held)});
  }
  table.print(out_, p_.times_valid ? "llrrrr" : "llrr");
  if (contended.size() > kLocks) out_ += fmt::format("  ... and {} more\n", plural(contended.size() - kLocks, "lock"));
}

void TextReport::problems(const std::vector<Finding>& found) {
  if (found.empty()) return;
  const double off = times_off_by(p_);
  title(p_.times_valid ? "Problems, by what they cost at most"
        : off > 0      ? fmt::format("Problems, by their part of a time that may be off by {:.0f} %", 100 * off)
                       : "Problems, by count and bytes");
  Table table;
  for (size_t i = 0; i < std::min(kProblems, found.size()); ++i)
    table.row({found[i].rough         ? fmt::format("{:.0f} %", 100 * found[i].share)
               : found[i].gain_ns < 0 ? ""
                                      : duration(found[i].gain_ns, 2),
               found[i].source == kNone ? "" : places_(found[i].source), found[i].what});
  table.print(out_, "rll");
  out_ += "  " + found[0].advice + '\n';
  std::string evidence;
  for (const std::string& e : found[0].evidence) evidence += (evidence.empty() ? "" : "; ") + e;
  if (!evidence.empty()) out_ += fmt::format("  ({})\n", evidence);
  if (const char* tried = tune_tries(p_, found[0]))
    out_ += fmt::format("  einkorn tune tries {}, without touching the source\n", tried);
}

void TextReport::warnings() {
  const profile::Totals& t = p_.totals;
  std::vector<std::string> all;
  if (!p_.predicted.empty()) all.push_back(fmt::format("predicted, not recorded: {}", p_.predicted));
  if (const auto not_valid = why_not_valid(p_)) all.push_back("times are not valid: " + not_valid->warning);
  if (const int64_t own = p_.thread_time[size_t(State::recorder)], whole = sum(p_.thread_time); 10 * own > whole)
    all.push_back(fmt::format("recording itself took {} of the thread time: without it the program is faster",
                              percent(double(own), double(whole))));
  if (const std::string slowed = recording_slowed_text(p_, metrics_); !slowed.empty())
    all.push_back(slowed + ": the times above have it in them, the promises have not");
  if (!t.complete)
    all.push_back("the recording has no end: the program was killed, or still runs; here is what was written");
  if (t.counted_threads > 0)
    all.push_back(fmt::format(
        "{} more than a recording can name were not recorded: what they ran is counted, but not in the tables above",
        plural(t.counted_threads, "thread")));
  if (t.lost_tasks + t.lost_chunks > 0)
    all.push_back(
        fmt::format("{} ran while no buffer was free, or the file was full{}: counted, but not in the tables above",
                    plural(t.lost_tasks + t.lost_chunks, "grain"), t.counted_threads ? ", or on such threads" : ""));
  if (t.outside_tasks + t.outside_chunks > 0)
    all.push_back(fmt::format(
        "{} ran while nothing was to be recorded: not in the tables above, and their time is not in the wall time",
        plural(t.outside_tasks + t.outside_chunks, "grain")));
  if (t.aggregated_tasks + t.aggregated_chunks > 0)
    all.push_back(fmt::format(
        "{} of {} were counted, not recorded one by one: their work is in the threads' time, and in no grain, "
        "graph or critical path",
        plural(t.aggregated_tasks + t.aggregated_chunks, "grain"), count(t.tasks + t.chunks)));
  if (t.runs_without_order > 0)
    all.push_back(fmt::format(
        "who waits for whom is not known in {} of codelets (too many, or too large for the memory, or their graph is "
        "missing): longest path and parallelism are those without it",
        plural(t.runs_without_order, "run")));
  if (t.damaged_blocks > 0)
    all.push_back(
        fmt::format("{} of the file cannot be read: what they held is missing", plural(t.damaged_blocks, "block")));
  else if (t.truncated) all.push_back("the file ends in the middle of a block: what it held is missing");
  if (all.empty()) return;
  out_ += '\n';
  for (const std::string& w : all) out_ += "warning: " + w + '\n';
}

}  // namespace

std::string text_report(const Profile& p, const TextOptions& options) {
  return text_report(p, options, metric_options(p));
}

std::string text_report(const Profile& p, const TextOptions& options, const profile::MetricOptions& metrics) {
  return TextReport(p, options, metrics).run();
}

}  // namespace einkorn::report

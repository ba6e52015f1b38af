#include <algorithm>
#include <cmath>
#include <utility>
#include <fmt/format.h>
#include "report/compare.h"
#include "report/text/table.h"
#include "report/validity.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::ComparedGrain;
using profile::Counted;
using profile::kNone;
using profile::LineChange;
using profile::Side;
using profile::State;

// Places wants a profile: one that has nothing but sources.
profile::Profile only_sources(const Side& side) {
  profile::Profile p;
  p.sources = side.sources;
  return p;
}

std::string signed_duration(int64_t ns) { return fmt::format("{}{}", ns < 0 ? "-" : "+", duration(std::abs(ns))); }
std::string ratio(double r) { return r < 0 ? "-" : significant(r); }

std::string change(int64_t before, int64_t after) {
  if (before <= 0) return "";
  return fmt::format("{:+.1f} %", 100 * (double(after) / double(before) - 1));
}

std::string command(const Side& s) {
  std::string line;
  for (const std::string& a : s.argv) line += (line.empty() ? "" : " ") + a;
  return printable(line.empty() ? s.program : line);
}

class Text {
 public:
  Text(const Compared& c, const TextOptions& o)
      : c_(c),
        r_(c.result),
        options_(o),
        sources_before_(only_sources(c.before)),
        sources_after_(only_sources(c.after)),
        before_(sources_before_),
        after_(sources_after_),
        why_(why_not_comparable(c)) {}
  std::string run();

 private:
  void sides();
  void matched();
  void times();
  void lines();
  void table_of(const char* name, size_t first, size_t end);
  size_t in_both() const {
    return size_t(std::count_if(r_.lines.begin(), r_.lines.end(), [](const LineChange& l) { return l.in_both(); }));
  }
  std::string one_sided() const;
  void loops();
  void grains();
  std::string verdict() const;
  std::string bold(const std::string& s) const { return options_.color ? fmt::format("{}{}{}", kBold, s, kPlain) : s; }
  void title(const std::string& s) { out_ += '\n' + bold(s) + '\n'; }
  // Of either side; if it is another one in the first recording, both.
  std::string place(uint32_t before, uint32_t after) const {
    if (after == kNone) return before_(before);
    const std::string now = after_(after), was = before == kNone ? now : before_(before);
    return now == was ? now : fmt::format("{} (was {})", now, was);
  }
  std::string construct(uint32_t before, uint32_t after) const {
    return after != kNone    ? c_.after.sources[after].construct
           : before != kNone ? c_.before.sources[before].construct
                             : "";
  }

  const Compared& c_;
  const profile::Comparison& r_;
  const TextOptions& options_;
  const profile::Profile sources_before_, sources_after_;
  const Places before_, after_;
  const std::string why_;
  std::string out_;
};

void Text::sides() {
  TextTable table;
  auto row = [&](const char* name, const std::string& file, const Side& s) {
    table.row(
        {name, printable(file), plural(s.threads, "thread"), s.times_valid ? duration(s.wall_ns) : "-", command(s)});
  };
  row("before", c_.before_file, c_.before);
  row("after", c_.after_file, c_.after);
  table.print(out_, "llrrl");
  if (why_.empty() && c_.after.wall_ns > 0) {
    const double speedup = double(c_.before.wall_ns) / double(c_.after.wall_ns);
    out_ += speedup >= 1 ? fmt::format("  {} times as fast\n", significant(speedup))
                         : fmt::format("  {} times as long\n", significant(1 / speedup));
  }
  for (const std::string& remark : remarks(c_)) out_ += fmt::format("  {}\n", remark);
}

void Text::matched() {
  out_ += fmt::format("\n{} of {} grains of the first recording are in the second one", count(r_.matched),
                      count(r_.before.grains));
  if (why_.empty()) out_ += fmt::format(", with {} of the work", percent(r_.share, 1));
  out_ += ".\n";
  auto only = [&](const char* which, const Counted& n) {
    if (!n.grains) return;
    out_ += fmt::format("  {} only: {}", which, plural(n.grains, "grain"));
    out_ += why_.empty() ? fmt::format(", {}\n", duration(n.exec)) : std::string("\n");
  };
  only("first", r_.only_before);
  only("second", r_.only_after);
  if (!r_.per_grain())
    out_ += "  That is less than 95 %: what single grains took is not compared, only lines and loops as a whole.\n";
}

void Text::times() {
  title("Threads' time");
  TextTable table;
  table.row({"", "before", "after", "difference", ""});
  for (int s = 0; s < profile::kStates; ++s) {
    const int64_t before = c_.before.thread_time[size_t(s)], after = c_.after.thread_time[size_t(s)];
    if (before > 0 || after > 0)
      table.row({profile::kStateNames[s], duration(before), duration(after), signed_duration(after - before),
                 change(before, after)});
  }
  table.print(out_, "lrrrr");
  const int64_t inflation = c_.after.work() - c_.before.work();
  out_ += fmt::format("  inflation (work and serial, after less before): {} {}\n", signed_duration(inflation),
                      change(c_.before.work(), c_.after.work()));
}

void Text::lines() {
  const size_t both = in_both();
  table_of("Lines, the largest change first", 0, both);
  table_of("Lines in one recording only", both, r_.lines.size());
  if (why_.empty() && r_.per_grain() && both)
    out_ += "  median, worst: of the line's grains, execution after over before\n";
}

// Of the rows from `first` to `end`.
void Text::table_of(const char* name, size_t first, size_t end) {
  if (first == end) return;
  title(name);
  TextTable table;
  const bool deviation = why_.empty() && r_.per_grain() && first == 0;
  std::vector<std::string> head = {"line", "construct", "grains", "after"};
  if (why_.empty()) head.insert(head.end(), {"execution", "after", "difference", ""});
  if (deviation) head.insert(head.end(), {"median", "worst"});
  table.row(head);
  for (size_t i = first; i < std::min(first + c_.lines, end); ++i) {
    const LineChange& l = r_.lines[i];
    std::vector<std::string> row = {place(l.before_source, l.after_source), construct(l.before_source, l.after_source),
                                    count(l.before.grains), count(l.after.grains)};
    if (why_.empty())
      row.insert(row.end(), {duration(l.before.exec), duration(l.after.exec), signed_duration(l.change()),
                             change(l.before.exec, l.after.exec)});
    if (deviation) row.insert(row.end(), {ratio(l.median_ratio), ratio(l.worst_ratio)});
    table.row(row);
  }
  table.print(out_, "llrrrrrrrr");
  if (end - first > c_.lines) out_ += fmt::format("  ... and {}\n", plural(end - first - c_.lines, "more line"));
}

void Text::loops() {
  if (r_.loops.empty()) return;
  title("Loop instances");
  TextTable table;
  table.row({"line", "iterations", "after", "chunks", "after", "execution", "after", "difference"});
  auto exec = [&](const Side& s, uint32_t l) {
    return l != kNone && s.loops[l].chunks && why_.empty() ? duration(s.loops[l].exec) : "-";
  };
  auto number = [](const Side& s, uint32_t l, uint64_t profile::ComparedLoop::* what) {
    return l != kNone ? count(s.loops[l].*what) : "-";
  };
  using profile::ComparedLoop;
  for (size_t i = 0; i < std::min(c_.lines, r_.loops.size()); ++i) {
    const auto [b, a] = r_.loops[i];
    const bool both = a != kNone && b != kNone && c_.before.loops[b].chunks && c_.after.loops[a].chunks && why_.empty();
    table.row({place(b != kNone ? c_.before.loops[b].source : kNone, a != kNone ? c_.after.loops[a].source : kNone),
               number(c_.before, b, &ComparedLoop::iterations), number(c_.after, a, &ComparedLoop::iterations),
               number(c_.before, b, &ComparedLoop::chunks), number(c_.after, a, &ComparedLoop::chunks),
               exec(c_.before, b), exec(c_.after, a),
               both ? signed_duration(c_.after.loops[a].exec - c_.before.loops[b].exec) : "-"});
  }
  table.print(out_, "lrrrrrrr");
  if (r_.loops.size() > c_.lines)
    out_ += fmt::format("  ... and {}\n", plural(r_.loops.size() - c_.lines, "more instance"));
}

void Text::grains() {
  if (r_.changed.empty()) return;
  title("Grains that changed most");
  TextTable table;
  table.row({"line", "kind", "id", "before", "after", "difference", "deviation"});
  for (size_t i = 0; i < std::min(c_.lines, r_.changed.size()); ++i) {
    const ComparedGrain &after = c_.after.grains[r_.changed[i]], &before = c_.before.grains[r_.match[r_.changed[i]]];
    table.row({place(before.source, after.source), profile::kGrainKindNames[size_t(after.kind)],
               fmt::format("{:016x}{:016x}", after.id_high, after.id_low), duration(before.exec), duration(after.exec),
               signed_duration(after.exec - before.exec),
               before.exec > 0 ? significant(double(after.exec) / double(before.exec)) : "-"});
  }
  table.print(out_, "lllrrrr");
}

// What the verdict has to say of lines that are in one recording only: the largest, if that is worth it.
std::string Text::one_sided() const {
  const size_t both = in_both();
  if (both == r_.lines.size()) return "";
  const LineChange& l = r_.lines[both];
  if (std::abs(l.change()) * 50 < std::max(c_.before.work(), c_.after.work())) return "";
  return fmt::format(" {} is in the {} recording only, for {}.", place(l.before_source, l.after_source),
                     l.after.grains ? "second" : "first", duration(std::abs(l.change())));
}

std::string Text::verdict() const {
  if (!why_.empty()) return "Only numbers of grains can be compared.";
  if (r_.lines.empty()) return "There are no grains to compare.";
  const int64_t little = std::max(c_.before.work(), c_.after.work()) / 50;
  const LineChange& l = r_.lines.front();
  if (const int64_t most = std::abs(l.by_median); l.in_both() && most > little)
    return fmt::format("{} takes {} {} in the second recording: the largest change of all lines.{}",
                       place(l.before_source, l.after_source), duration(most), l.by_median > 0 ? "more" : "less",
                       one_sided());
  std::string text = "No line's execution changed by more than 2 % of the work.";
  // Some grains of a line took longer, most did not: they were held up, or did something else.
  const auto some = std::find_if(r_.lines.begin(), r_.lines.end(), [&](const LineChange& line) {
    return line.in_both() && std::abs(line.change()) > 2 * little;
  });
  if (some != r_.lines.end())
    text += fmt::format(" Single grains of {} did, {} {} in all.", place(some->before_source, some->after_source),
                        duration(std::abs(some->change())), some->change() > 0 ? "more" : "less");
  return text + one_sided();
}

std::string Text::run() {
  sides();
  matched();
  if (why_.empty()) times();
  lines();
  if (!r_.per_grain()) loops();
  if (why_.empty()) grains();
  out_ += '\n' + bold(verdict()) + '\n';
  return std::move(out_);
}

}  // namespace

std::vector<std::string> remarks(const Compared& c) {
  std::vector<std::string> out;
  auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  if (name(c.before.program) != name(c.after.program))
    out.push_back(fmt::format(
        "These are recordings of different programs, {} and {}: grains with the same name may have done different work.",
        printable(name(c.before.program)), printable(name(c.after.program))));
  else if (c.before.argv != c.after.argv)
    out.push_back("The command lines differ: grains with the same name may have done different work.");
  for (const auto& [side, file] : {std::pair(&c.before, &c.before_file), std::pair(&c.after, &c.after_file)}) {
    if (!side->predicted.empty())
      out.push_back(fmt::format("{} is predicted, not recorded: {}.", printable(*file), printable(side->predicted)));
    if (!side->complete)
      out.push_back(fmt::format("{} has no end: the program was killed, or is still running.", printable(*file)));
    if (side->lost)
      out.push_back(fmt::format("{}: {} were counted and not described; they are in one recording only here.",
                                printable(*file), plural(side->lost, "grain")));
    if (side->aggregated)
      out.push_back(fmt::format(
          "{}: {} were counted, not recorded one by one; they are compared by line and the grain above them, as a whole.",
          printable(*file), plural(side->aggregated, "grain")));
    if (side->grains.empty() && !side->aggregated) out.push_back(fmt::format("{} has no grains.", printable(*file)));
  }
  if (std::string why = why_not_comparable(c); !why.empty()) out.push_back(std::move(why));
  else if (std::string moved = cpus_moved(c.before.line_ns, c.after.line_ns); !moved.empty())
    out.push_back(std::move(moved));
  return out;
}

std::string why_not_comparable(const Compared& c) {
  std::string files;
  for (const auto& [side, file] : {std::pair(&c.before, &c.before_file), std::pair(&c.after, &c.after_file)})
    if (!side->times_valid) files += (files.empty() ? "" : " and ") + printable(*file);
  if (files.empty()) return "";
  return fmt::format(
      "The times of {} mean nothing: threads were off the CPU, or waited for one, for more than 5 % of the time, or it ran as on another "
      "machine. "
      "Only numbers of grains are compared. Record again on a machine that is less busy.",
      files);
}

std::string compare_text(const Compared& c, const TextOptions& options) { return Text(c, options).run(); }

}  // namespace einkorn::report

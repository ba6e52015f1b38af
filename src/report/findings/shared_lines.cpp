// Cache lines that several threads write (recordings with memory accesses). Each time that another thread writes, the
// line has to come from that thread's core: about a hundred times what an access to one's own cache takes.
//
// Gain: where the times are another recording's, each move costs what this machine measured for a line on its way from
// one CPU to another, and no more than half of the work (a thread that waits for its line works, by the clock). Without
// times: moves, each taken for kMove accesses, as a part of all accesses and these.
#include <algorithm>
#include <map>
#include <tuple>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::kNone;
using profile::Profile;
using profile::SharedLine;

constexpr double kMove = 100;  // accesses in the first cache that take as long as one line from another core

struct Lines {  // of one pair of source lines, or of one variable
  const SharedLine* most = nullptr;
  uint64_t moves = 0, lines = 0;
};

// "counts + 64" -> "counts"
std::string variable_of(const SharedLine& l) { return l.variable.substr(0, l.variable.find(" + ")); }

std::string bytes_of(const SharedLine& l, int k) {
  int first = 16, last = 0;
  for (int i = 0; i < 16; ++i)
    if (l.words[k] >> i & 1) first = std::min(first, i), last = i;
  return fmt::format("bytes {} to {}", 4 * first, 4 * last + 3);
}

}  // namespace

void find_shared_lines(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  if (p.shared_lines.empty()) return;
  double accesses = 0;
  for (const profile::Accesses& a : p.accesses) accesses += double(a.loads + a.stores);
  std::map<std::tuple<bool, std::string, uint32_t, uint32_t>, Lines> found;
  for (const SharedLine& l : p.shared_lines) {
    const auto [one, other] = std::minmax(l.place[0], l.place[1]);
    Lines& lines = found[{l.is_false(), variable_of(l), one, other}];
    if (!lines.most) lines.most = &l;
    lines.moves += l.moves, ++lines.lines;
  }
  const Places places(p);
  for (const auto& [key, lines] : found) {
    const SharedLine& l = *lines.most;
    const double cost = double(lines.moves) * kMove;
    Finding f;
    f.kind = l.is_false() ? ProblemKind::false_sharing : ProblemKind::shared_variable;
    f.share = cost / (cost + accesses);
    if (p.times_valid && p.costs.line_now > 0)
      f.gain_ns = std::min(e.b.spread(int64_t(double(lines.moves) * p.costs.line_now)), e.b.spread(e.b.work) / 2);
    else if (p.times_valid) f.gain_ns = int64_t(f.share * double(e.b.spread(e.b.work)) / 2);
    f.source = l.place[0];
    f.sources = {l.place[0], l.place[1]};
    const std::string where = l.variable.empty() ? fmt::format("at {:#x}", l.address) : "of " + l.variable;
    // Both threads often write at one line, where a compiler may have made two instructions of it.
    const std::string also =
        e.same_line(l.place[0], l.place[1]) ? "" : fmt::format(" (also at {})", places(l.place[1]));
    f.what = l.is_false()
                 ? fmt::format("false sharing: threads {} and {} write to different parts of one cache line {}{}",
                               l.thread[0], l.thread[1], where, also)
                 : fmt::format("threads {} and {} write to the same variable, again and again: the cache line {}{}",
                               l.thread[0], l.thread[1], where, also);
    f.advice =
        l.is_false()
            ? "Keep what each thread writes in cache lines of its own: a local variable or a reduction, elements "
              "that are aligned to 64 bytes (alignas(64), padding), or parts of an array that are whole lines."
            : "Let each thread add up in a variable of its own, and combine these at the end (reduction).";
    f.evidence = {fmt::format("{} came from another thread {} times, in {} accesses", plural(lines.lines, "line"),
                              count(lines.moves), count(uint64_t(accesses))),
                  fmt::format("line {:#x}: thread {} writes {}, thread {} writes {}", l.address, l.thread[0],
                              bytes_of(l, 0), l.thread[1], bytes_of(l, 1))};
    out.push_back(std::move(f));
  }
}

}  // namespace einkorn::report

// Loops in the wrong order: inner loops that stride over memory, so that of each line that is fetched little is used.
//
// What an access costs, beyond what it costs anyway, is the lines it fetches and the address translations that these
// take; the construct does nothing else, for the bound, and each of either costs the same but for what comes in order:
// processors fetch ahead along memory, so a line of which all is used costs half, one of which the part u is used
// 1 - u / 2. So let F be that cost of all the construct's lines and translations, and B that of the instructions that
// stride: in an order in which each line is used whole these fetch u times as many lines, at half the cost each, and
// each page once, and the construct's execution falls by at most
//     execution x (B - u / 2 x their lines) / F.
// The lines are those that a model of the core's first cache had to fetch, the translations those of a model of 1,024
// pages.
#include <algorithm>
#include <cmath>
#include <map>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::AccessUse;
using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Profile;

constexpr int64_t kLine = 64;
constexpr double kDominating = 0.5;    // of an instruction's steps, with that stride
constexpr double kLittleUsed = 0.5;    // of a line, before it left
constexpr double kAhead = 0.5;         // of a line's cost, where it was fetched ahead
constexpr uint64_t kLeastLeft = 1000;  // lines: less is no pattern, and costs microseconds

double used_part(const AccessUse& u) {
  const double of_left = u.left == 0 ? 1 : double(u.used) / double(kLine * u.left);  // else nothing is known
  const double of_fetched = double(u.bytes) / double(kLine * u.fetched);             // finer than words of four bytes
  return std::min(of_left, of_fetched);
}

bool strides(const AccessUse& u) {
  return u.left >= kLeastLeft && u.fetched > 0 && std::abs(double(u.stride)) >= kLine &&
         double(u.strides) >= kDominating * double(u.count) && used_part(u) <= kLittleUsed;
}

double cost_of(const AccessUse& u) {
  if (u.fetched == 0) return 0;
  return double(u.fetched) * (1 - kAhead * std::clamp(used_part(u), 0.0, 1.0)) + double(u.walked);
}

struct ReadConstruct {
  double cost = 0, wrong = 0, needed = 0;  // of all, of those that stride; of these, in order
  uint64_t accesses = 0, lines = 0;
  std::vector<const AccessUse*> bad;  // the most fetched first, as they are in the profile
};

std::string steps(int64_t stride) {
  return fmt::format("{} bytes{}", count(uint64_t(std::abs(stride))), stride < 0 ? " backwards" : "");
}

}  // namespace

void find_loop_order(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  if (p.access_uses.empty()) return;
  std::map<std::pair<uint32_t, GrainKind>, ReadConstruct> constructs;
  double all = 0;
  for (const AccessUse& u : p.access_uses) {
    ReadConstruct& c = constructs[{u.source, u.kind}];
    c.cost += cost_of(u);
    c.accesses += u.count;
    all += cost_of(u);
    if (u.place >= p.sources.size() || p.sources[u.place].line == 0 || !strides(u)) continue;
    c.wrong += cost_of(u);
    c.needed += double(u.fetched) * used_part(u) * (1 - kAhead);
    c.lines += u.fetched;
    c.bad.push_back(&u);
  }
  for (const auto& [key, c] : constructs) {
    if (c.bad.empty() || c.cost <= 0) continue;
    const auto& [source, kind] = key;
    const double part = (c.wrong - c.needed) / c.cost;
    int64_t exec = 0;
    for (const Grain& g : p.grains)
      if (g.source == source && g.kind == kind) exec += g.exec;
    const AccessUse& worst = *c.bad[0];
    Finding f;
    f.kind = ProblemKind::loop_order;
    f.share = (c.wrong - c.needed) / all;
    if (p.times_valid) {
      // Outside regions one thread's time is the wall's.
      const auto gain = int64_t(double(exec) * part);
      f.gain_ns = kind == GrainKind::initial ? gain : e.b.spread(gain);
    }
    f.source = worst.place;
    for (const AccessUse* u : c.bad) f.sources.push_back(u->place);
    if (source != kNone && (1u << unsigned(kind) & profile::kOfAll))
      f.about = {{source}, 1u << unsigned(kind), 0, false};
    f.what = fmt::format(
        "the inner loop goes through memory in steps of {}: of each line of 64 bytes that it fetches, {} are used",
        steps(worst.stride), significant(used_part(worst) * kLine, 2));
    f.advice =
        "Let the inner loop run along memory: exchange the loops, or work in blocks that stay in the cache. Where it visits large "
        "records, keep the field that it uses in an array of its own.";
    f.evidence = {
        fmt::format("{} of {} accesses in this construct fetch a line in such steps",
                    percent(double(c.lines), double(c.accesses)), count(c.accesses)),
        fmt::format("{} of that line's steps are of this size", percent(double(worst.strides), double(worst.count))),
        fmt::format("in a model of {} KiB of cache", p.cache_bytes / 1024)};
    out.push_back(std::move(f));
  }
}

}  // namespace einkorn::report

#include "cli/machine_break_even.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

#include "machine/describe.h"
#include "report/text/table.h"
#include "report/wording.h"
#include "simulate/break_even.h"

namespace einkorn::cli {

namespace {

using nlohmann::ordered_json;
using simulate::BreakEven;
using simulate::PageUse;
using simulate::PairBreakEven;
using simulate::uses_to_pay;

std::string times(double uses) { return uses == simulate::kNever ? "never" : report::count(uint64_t(uses)); }

std::string times_and_bytes(double uses, uint64_t page) {
  if (uses == simulate::kNever) return "never";
  return fmt::format("{} ({})", times(uses), machine::bytes_text(uint64_t(uses) * page));
}

std::string nanoseconds(double ns) { return report::duration(int64_t(ns + 0.5)); }

std::string as_text(const machine::Machine& m, const BreakEven& b) {
  std::string out =
      fmt::format("{}: a page of {} is moved in {} by a call, in {} by the next touch.\n", m.name,
                  machine::bytes_text(b.page_bytes), nanoseconds(b.migrate_ns), nanoseconds(b.next_touch_ns));
  if (!b.migrate_measured || !b.next_touch_measured)
    out += fmt::format("{} not measured there; it is Schmidl's figure, for two sockets of Westmere.\n",
                       b.migrate_measured      ? "The latter was"
                       : b.next_touch_measured ? "The former was"
                                               : "Both were");
  out += "How often it must then be used as a whole, and how many bytes of it be read, until the move has paid:\n\n";
  report::TextTable table;
  table.row({"thread", "page was", "pairs", "a page there", "and here", "by a call", "by the next touch"});
  auto add = [&](const std::string& who, const std::string& where, const std::string& pairs, const PageUse& use) {
    table.row({who, where, pairs, nanoseconds(use.before), nanoseconds(use.after),
               times_and_bytes(uses_to_pay(b.migrate_ns, use.before, use.after), b.page_bytes),
               times_and_bytes(uses_to_pay(b.next_touch_ns, use.before, use.after), b.page_bytes)});
  };
  // Pairs with the same figures are one row.
  for (const auto& [who, use] :
       {std::pair{"one core of node {}", &PairBreakEven::one}, {"all cores of node {}", &PairBreakEven::all}}) {
    std::map<std::pair<double, double>, std::vector<const PairBreakEven*>> alike;
    for (const PairBreakEven& p : b.pairs)
      if (const PageUse& u = p.*use; u.known()) alike[{u.before, u.after}].push_back(&p);
    for (const auto& [key, pairs] : alike)
      add(fmt::format(fmt::runtime(who), pairs[0]->thread), fmt::format("on node {}", pairs[0]->memory),
          pairs.size() > 1 ? fmt::format("+ {}", pairs.size() - 1) : "", pairs[0]->*use);
  }
  if (b.spread.known()) add("all nodes, each its part", "on one node", "", b.spread);
  table.print(out, "lllrrrr");
  report::TextTable loads;
  std::map<std::pair<double, double>, std::vector<const PairBreakEven*>> alike;
  for (const PairBreakEven& p : b.pairs)
    if (p.load.known()) alike[{p.load.before, p.load.after}].push_back(&p);
  if (alike.empty()) return out;
  out += "\nSingle loads from it that miss all caches, until the move has paid:\n\n";
  loads.row({"thread", "page was", "pairs", "a load there", "and here", "by a call", "by the next touch"});
  for (const auto& [key, pairs] : alike) {
    const PageUse& u = pairs[0]->load;
    loads.row({fmt::format("node {}", pairs[0]->thread), fmt::format("on node {}", pairs[0]->memory),
               pairs.size() > 1 ? fmt::format("+ {}", pairs.size() - 1) : "", nanoseconds(u.before),
               nanoseconds(u.after), times(uses_to_pay(b.migrate_ns, u.before, u.after)),
               times(uses_to_pay(b.next_touch_ns, u.before, u.after))});
  }
  loads.print(out, "lllrrrr");
  return out;
}

// A move that never pays is absent.
void put_uses(ordered_json& to, const char* name, const PageUse& use, const BreakEven& b, bool bytes) {
  if (!use.known()) return;
  ordered_json j = {{"before_ns", use.before}, {"after_ns", use.after}};
  for (auto [move, cost] : {std::pair{"migrate", b.migrate_ns}, {"next_touch", b.next_touch_ns}}) {
    const double uses = uses_to_pay(cost, use.before, use.after);
    if (uses == simulate::kNever) continue;
    j[fmt::format("{}_uses", move)] = uint64_t(uses);
    if (bytes) j[fmt::format("{}_bytes", move)] = uint64_t(uses) * b.page_bytes;
  }
  to[name] = std::move(j);
}

std::string as_json(const machine::Machine& m, const BreakEven& b) {
  ordered_json out = {{"machine", m.name},
                      {"page_bytes", b.page_bytes},
                      {"migrate_page_ns", b.migrate_ns},
                      {"migrate_measured", b.migrate_measured},
                      {"next_touch_page_ns", b.next_touch_ns},
                      {"next_touch_measured", b.next_touch_measured}};
  out["pairs"] = ordered_json::array();
  for (const PairBreakEven& p : b.pairs) {
    ordered_json j = {{"thread_node", p.thread}, {"page_node", p.memory}};
    put_uses(j, "one_core", p.one, b, true);
    put_uses(j, "all_cores", p.all, b, true);
    put_uses(j, "loads", p.load, b, false);
    out["pairs"].push_back(std::move(j));
  }
  put_uses(out, "spread", b.spread, b, true);
  return out.dump(1) + "\n";
}

}  // namespace

bool print_break_even(const machine::Machine& m, bool json, std::string* out, std::string* why) {
  BreakEven b;
  if (!simulate::break_even(m, &b, why)) return false;
  *out = json ? as_json(m, b) : as_text(m, b);
  return true;
}

}  // namespace einkorn::cli

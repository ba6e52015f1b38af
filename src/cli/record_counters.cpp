#include "cli/record_counters.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.h"
#include "machine/text.h"
#include "record/counters.h"
#include "report/counters.h"

namespace einkorn::cli {

using record::kMostCounters;

void RecordCounters::add_option(CLI::App& verb) {
  std::string names;
  for (const record::CounterInfo& c : record::kCounterTable) names += (names.empty() ? "" : ", ") + std::string(c.name);
  verb.add_option_function<std::vector<std::string>>(
          "--counters",
          [this](const std::vector<std::string>& values) {
            asked = true;
            list = values.empty() ? "" : values[0];
          },
          fmt::format("Count what each grain's processor and kernel saw, too: {}; at most {}. Default: the first {}",
                      names, kMostCounters, kMostCounters))
      ->type_name("[LIST]")
      ->expected(0, 1);
}

std::string RecordCounters::check() const {
  record::CounterList counters;
  std::string_view wrong;
  if (list.empty() || parse_counters(list, counters, wrong)) return "";
  if (wrong.data() == nullptr)
    return fmt::format("--counters {}: these are more than {}. Leave some out, and record again for these.", list,
                       kMostCounters);
  machine::Nearest nearest{std::string(wrong)};
  std::string known;
  for (const record::CounterInfo& c : record::kCounterTable) {
    nearest.offer(c.name);
    known += (known.empty() ? "" : ", ") + std::string(c.name);
  }
  return fmt::format("--counters: there is no counter '{}'.{} There are: {}.", wrong,
                     nearest.name().empty() ? "" : fmt::format(" Did you mean '{}'?", nearest.name()), known);
}

// The program will be told the same by the kernel: it is this user's, on this machine.
std::string RecordCounters::variable() const {
  record::CounterList counters = record::default_counters();
  std::string_view wrong;
  if (!list.empty()) parse_counters(list, counters, wrong);
  record::Absence why[kMostCounters] = {};
  record::ThreadCounters probe;
  probe.open(counters, why);
  const bool some = probe.on();
  probe.close();
  std::vector<profile::CountedEvents::Absent> absent;
  std::string value;
  for (int i = 0; i < counters.count; ++i) {
    value += (value.empty() ? "" : ",") + std::string(record::counter_info(counters.counters[i]).name);
    if (why[i] != record::Absence::none) absent.push_back({counters.counters[i], why[i]});
  }
  for (const std::string& sentence : report::absent_counters(absent)) tell(sentence + '.');
  const auto forbidden = [](const profile::CountedEvents::Absent& a) { return a.why == record::Absence::paranoid; };
  if (const int level = record::perf_event_paranoid();
      std::any_of(absent.begin(), absent.end(), forbidden) && level > 0)
    tell(fmt::format("kernel.perf_event_paranoid is {}.", level));
  if (!some) tell("none of the counters is here: the program is recorded without.");
  return value;
}

}  // namespace einkorn::cli

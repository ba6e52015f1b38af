#include "cli/fewest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include "base/environment.h"
#include "machine/load.h"
#include "report/wording.h"
#include "schedule/text.h"
#include "simulate/costs.h"
#include "simulate/from_profile.h"
#include "simulate/not_replayed.h"

namespace einkorn::cli {

using namespace einkorn::simulate;

std::string why_no_fewest(const profile::Profile& recorded, const machine::Machine& m) {
  if (!grain_times_valid(recorded)) return "its times are not valid";
  if (const double share = perturbed_share(recorded); share > kPerturbedWork)
    return fmt::format("{:.0f} % of its work is in grains so short that recording made them longer", 100 * share);
  uint32_t team = 1;
  for (const profile::Region& r : recorded.regions) {
    if (r.team < 2) continue;
    // A replay gives a region inside another one to one worker, and all others the same number of threads.
    if (r.level > 1) return "it has teams inside of teams";
    if (team > 1 && r.team != team) return fmt::format("its regions have {} threads here and {} there", team, r.team);
    team = r.team;
  }
  if (team < 2) return "it has one thread";
  if (int(team) > m.pu_count())
    return fmt::format("it has {} threads, and {} has {}", team, m.name, report::plural(uint64_t(m.pu_count()), "CPU"));
  return "";
}

// Of the i-th number of threads, by the last one, at all ends; nothing: there a replay of the last one comes to a stop.
static std::optional<tune::Ratio> ratio_of(const std::vector<Sweep>& ends, size_t i) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  tune::Ratio r{kNever, 0};
  for (const Sweep& end : ends) {
    const Outcome &some = end.points[i].outcome, &recorded = end.points.back().outcome;
    if (recorded.stuck || !(recorded.makespan > 0)) return {};
    if (some.stuck) return tune::Ratio{kNever, kNever};
    const double ratio = some.makespan / recorded.makespan;
    r = {std::min(r.low, ratio), std::max(r.high, ratio)};
  }
  return r;
}

tune::Fewest predict_fewest(const Subject& subject, const machine::Machine& m, const Setup& common,
                            const schedule::Schedule& schedule, double may_lose,
                            const std::function<void(double)>& progress, const std::function<bool()>& goes_on) {
  const int threads = int(subject.recorded_threads);
  // A few at a time, so that somebody who does not want to wait is heard.
  const size_t many = std::max(4u, std::thread::hardware_concurrency());
  return tune::fewest_threads(threads, may_lose, [&](const std::vector<int>& asked) {
    std::vector<tune::Ratio> ratios;
    while (ratios.size() < asked.size() && goes_on()) {
      Sweep sweep;
      sweep.schedules = {schedule}, sweep.names = {""};
      const auto from = asked.begin() + long(ratios.size());
      sweep.threads.assign(from, from + long(std::min(many, asked.size() - ratios.size())));
      sweep.threads.push_back(threads);
      std::vector<Sweep> all = run_with_ends(subject, m, common, sweep, progress);
      all.push_back(std::move(sweep));
      for (size_t i = 0; i + 1 < all[0].threads.size(); ++i) {
        const std::optional<tune::Ratio> r = ratio_of(all, i);
        if (!r) return std::vector<tune::Ratio>();
        ratios.push_back(*r);
      }
    }
    return ratios.size() == asked.size() ? ratios : std::vector<tune::Ratio>();
  });
}

tune::Fewest predict_fewest(const std::shared_ptr<const profile::Profile>& recorded,
                            const std::shared_ptr<MemoryOf>& memory, double may_lose,
                            const std::function<void(double)>& progress, const std::function<bool()>& goes_on) {
  for (const char* changed : {"EINKORN_MACHINE", "EINKORN_AMM", "EINKORN_LOOP"})
    if (base::environment(changed)) return {};
  machine::Machine m;
  schedule::Schedule schedule;
  std::string why;
  const char* asked = base::environment("EINKORN_SCHEDULE");
  if (!schedule::parse_schedule(asked ? asked : "ws", &schedule, &why) || !not_replayed(schedule).empty() ||
      !machine::load("", &m, &why) || !why_no_fewest(*recorded, m).empty())
    return {};
  Setup common;
  common.costs = costs_of(m);
  Subject subject;
  subject.profile = recorded;
  if (!make_subject("", {}, {}, memory, m, common, subject, why)) return {};
  return predict_fewest(subject, m, common, schedule, may_lose, progress, goes_on);
}

std::string not_a_percentage(const std::string& text) {
  double value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && stop == text.data() + text.size() && value >= 0 && value <= 1000;
  return good ? "" : fmt::format("{} is not a percentage from 0 to 1000", text);
}

std::vector<double> percent_range(const tune::Ratio& r) {
  auto percent = [](double ratio) { return std::round(1000 * (ratio - 1)) / 10 + 0.0; };  // no -0.0
  return {percent(r.low), percent(r.high)};
}

std::string range_text(const tune::Ratio& r) {
  const std::vector<double> ends = percent_range(r);
  if (ends[0] == ends[1]) return fmt::format("{:+.1f} %", ends[0]);
  return fmt::format("{:+.1f} to {:+.1f} %", ends[0], ends[1]);
}

std::string fewest_text(const tune::Fewest& f, double percent, const std::string& schedule) {
  auto threads = [](int n) { return report::plural(uint64_t(n), "thread"); };
  std::string text = fmt::format("Predicted under {}, of {} recorded, at most {:g} % more time: ", schedule,
                                 threads(f.recorded), percent);
  if (f.may == f.recorded) return text + "all are needed.\n";
  if (f.may == f.sure) return text + fmt::format("{} ({}).\n", threads(f.may), range_text(f.with_may));
  text += fmt::format("{} may do ({}), ", threads(f.may), range_text(f.with_may));
  if (f.sure == f.recorded) return text + "no fewer than all surely do.\n";
  return text + fmt::format("{} do ({}).\n", threads(f.sure), range_text(f.with_sure));
}

nlohmann::json fewest_json(const tune::Fewest& f, double percent) {
  auto one = [](int threads, const tune::Ratio& r) {
    return nlohmann::json{{"threads", threads}, {"predicted_percent", percent_range(r)}};
  };
  return {{"recorded_threads", f.recorded},
          {"may_lose_percent", percent},
          {"may", one(f.may, f.with_may)},
          {"sure", one(f.sure, f.with_sure)}};
}

}  // namespace einkorn::cli

// The simulator on damaged recordings that load: the program that it derives is consistent, and every replay of it
// ends, whatever the number of threads and the schedule.
//
//   fuzz_simulate [--iterations N] [--seconds S] [--seed N] [FILE ...]     fuzz_recording.h
#include <cmath>
#include "fuzz_recording.h"
#include "profile/profile.h"
#include "schedule/text.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate/span.h"
#include "simulate/sweep.h"

namespace {

using namespace einkorn;
using namespace einkorn::simulate;

machine::Machine two_nodes() {
  machine::Machine m;
  m.distance = {10, 20, 20, 10};
  for (int node = 0; node < 2; ++node) {
    m.nodes.push_back({node, node, 0});
    for (int core = 0; core < 4; ++core) m.pus.push_back({node * 4 + core, node * 4 + core, node, node, node});
  }
  m.cores = 8;
  m.llcs = m.sockets = 2;
  return m;
}

// Longer than that no file of the fuzzer's takes.
constexpr size_t kMostSteps = 200'000;

void try_simulate(const std::string& bytes) {
  auto broken = [&](const std::string& what) { test::give_up("fuzz_simulate", what, bytes); };
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.symbolize = false;
  options.memory_bytes = 256 << 20;
  if (!profile::load(test::as_file(bytes), options, p, error)) return;
  std::string why;
  const Program program = from_profile(p, {}, why);
  if (!why.empty() || program.steps.size() > kMostSteps) return;
  static const machine::Machine machine = two_nodes();
  static size_t turn = 0;
  static constexpr const char* kSchedules[] = {"ws",
                                               "central",
                                               "rr-fifo",
                                               "mts",
                                               "domains-strict",
                                               "deal",
                                               "xkaapi",
                                               "codelets,amm=4x2",
                                               "darts-standard",
                                               "darts-steal,amm=3x2",
                                               "swarm"};
  Setup common;
  schedule::Schedule schedule;
  if (!schedule::parse_schedule(kSchedules[turn++ % std::size(kSchedules)], &schedule, &why)) broken(why);
  for (const int threads : {1, 3, 8}) {
    const Program q = with_members(program, uint32_t(threads));
    if (std::string what = check(q); !what.empty()) broken("with " + std::to_string(threads) + " members: " + what);
    if (!std::isfinite(q.span()) || !std::isfinite(burdened_span(q, common.costs))) broken("a span is not finite");
    const Outcome o = simulate::simulate(q, setup_of(machine, common, schedule, threads), true);
    if (!std::isfinite(o.makespan)) broken("a time is not finite");
  }
}

}  // namespace

int main(int argc, char** argv) { return einkorn::test::fuzz("fuzz_simulate", argc, argv, try_simulate); }

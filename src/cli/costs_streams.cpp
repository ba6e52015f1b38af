// Measures by how much threads slow each other down that wait for the same memory.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cli/costs.h"
#include "base/cpus.h"
#include "machine/measure_tools.h"
#include "machine/types.h"

namespace einkorn::cli {
namespace {

constexpr double kSeconds = 0.01;  // of each stream
constexpr int kRounds = 9;
constexpr uint64_t kLeast = 64 << 20, kMost = 512 << 20;  // bytes to stream over: four times the cache

// One array is the sum of two others, as where programs wait for memory; the compiler makes no memcpy() of that.
void add_up(double* out, const double* a, const double* b, size_t values) {
  for (size_t i = 0; i < values; ++i) out[i] = a[i] + 0.5 * b[i];
}

// Each thread adds up its part of the region, over and over. Bytes a ns of all together.
double stream(const std::vector<int>& cpus, const machine::Region& r) {
  std::vector<double> rate(cpus.size());
  const size_t values = r.bytes / cpus.size() / sizeof(double) / 3, piece = std::min<size_t>(values, 1 << 16);
  machine::Measuring how;  // its warnings (threads that cannot be bound) change nothing here
  machine::on_cpus(cpus, &how, [&](int i) {
    double* const mine = reinterpret_cast<double*>(r.at) + size_t(i) * 3 * values;
    const double begin = now_ns();
    double end = begin;
    size_t done = 0;
    for (size_t at = 0; end - begin < kSeconds * 1e9; at = at + 2 * piece <= values ? at + piece : 0) {
      add_up(mine + at, mine + values + at, mine + 2 * values + at, piece);
      done += piece;
      end = now_ns();
    }
    rate[size_t(i)] = double(done * 3 * sizeof(double)) / (end - begin);
  });
  return std::accumulate(rate.begin(), rate.end(), 0.0);
}

}  // namespace

void measure_streams(uint32_t threads, profile::RuntimeCosts& out) {
  const machine::Machine& m = machine::this_machine();
  std::vector<int> cpus = machine::one_a_core(m, -1);
  if (cpus.size() > threads) cpus.resize(threads);
  if (cpus.size() < 2 || m.node_count() > 1) return;
  const uint64_t bytes = std::clamp(4 * m.llc_bytes, kLeast, kMost);
  machine::Region r;
  if (bytes > machine::available_memory() / 4 || !r.map(bytes)) return;
  const std::vector<int> one(cpus.begin(), cpus.begin() + 1);
  machine::Measuring how;
  machine::on_cpus(cpus, &how, [&](int i) {
    const size_t part = r.bytes / cpus.size();
    memset(r.at + size_t(i) * part, 0, part);
  });
  // In turn, and the best: what a host's other guests do besides changes from one moment to the next, and only ever
  // makes a stream slower.
  double alone = 0, all = 0;
  for (int round = 0; round < kRounds; ++round)
    alone = std::max(alone, stream(one, r)), all = std::max(all, stream(cpus, r));
  out.stream_alone = alone;
  out.stream_all = std::clamp(all, alone, alone * double(cpus.size()));
}

}  // namespace einkorn::cli

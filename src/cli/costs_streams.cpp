// Measures by how much threads slow each other down that wait for the same memory.
#include <time.h>

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

constexpr double kSeconds = 0.005;  // of each stream
constexpr size_t kRounds = 9;
constexpr uint64_t kLeast = 64 << 20, kMost = 512 << 20;  // bytes to stream over: four times the cache

// One array is the sum of two others, as where programs wait for memory; the compiler makes no memcpy() of that.
void add_up(double* out, const double* a, const double* b, size_t values) {
  for (size_t i = 0; i < values; ++i) out[i] = a[i] + 0.5 * b[i];
}

// A thread that has no CPU for a while streams nothing meanwhile, and disturbs nobody.
double cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

// Each thread adds up its part of the region, over and over. Bytes a ns of all together.
double stream(const std::vector<int>& cpus, const machine::Region& r) {
  std::vector<double> rate(cpus.size());
  const size_t values = r.bytes / cpus.size() / sizeof(double) / 3, piece = std::min<size_t>(values, 1 << 16);
  machine::Measuring how;  // its warnings (threads that cannot be bound) change nothing here
  machine::on_cpus(cpus, &how, [&](int i) {
    double* const mine = reinterpret_cast<double*>(r.at) + size_t(i) * 3 * values;
    const double begin = cpu_ns();
    double end = begin;
    size_t done = 0;
    for (size_t at = 0; end - begin < kSeconds * 1e9; at = at + 2 * piece <= values ? at + piece : 0) {
      add_up(mine + at, mine + values + at, mine + 2 * values + at, piece);
      done += piece;
      end = cpu_ns();
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
  machine::Measuring how;
  machine::on_cpus(cpus, &how, [&](int i) {
    const size_t part = r.bytes / cpus.size();
    memset(r.at + size_t(i) * part, 0, part);
  });
  // In turn, as what a host's other guests do besides changes from one moment to the next. A guest may slow down one
  // CPU and not another: alone is the better of two, or all together seem to have more than each has.
  double alone = 0;
  std::vector<double> shared;
  for (size_t round = 0; round < kRounds; ++round) {
    const double one = std::max(stream({cpus[0]}, r), stream({cpus[1]}, r));
    shared.push_back(stream(cpus, r) / one);
    alone = std::max(alone, one);
  }
  out.stream_alone = alone;
  out.stream_all = alone * std::clamp(middle_of(shared), 1.0, double(cpus.size()));
}

}  // namespace einkorn::cli

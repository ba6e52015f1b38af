#include "report/validity.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/wording.h"

namespace einkorn::report {

using profile::Profile;

// The two figures of the recording's end are about more than the time off the CPU, which is counted in teams only: they
// say what was not the cause, and what may have been.
OffCpu why_off_cpu(const Profile& p) {
  const int64_t off = profile::off_cpu(p), waited = p.totals.cpu_wait_ns, other = p.totals.other_cpu_ns,
                most = std::max(off, waited);
  uint32_t team = 0;
  for (const profile::Region& r : p.regions) team = std::max(team, r.team);
  if (2 * p.totals.steal_ns >= most && p.totals.steal_ns > 0)
    return {fmt::format("the host of this virtual machine took its CPUs for {} of the time",
                        percent(profile::stolen(p), 1)),
            "run it while the host has less to do, or on a machine of its own"};
  const std::string others =
      other >= (most + 1) / 2
          ? fmt::format("other threads of the program, not OpenMP's (a BLAS's, say), took {} of CPU time",
                        duration(other, 2))
          : "";
  if (waited >= 0 && waited < (off + 1) / 2) {
    if (p.totals.taken_ns >= (off + 1) / 2)
      return {"their CPUs were taken from them (a limit of CPU time, say), though they did not sleep",
              "run it without such a limit, on a quiet machine"};
    return {
        "the threads slept in the program's own code or its libraries (input and output, locks that are not "
        "OpenMP's), or were stopped" +
            (others.empty() ? "" : "; " + others),
        "look for what they wait for there"};
  }
  const bool too_many = p.cpus > 0 && team > p.cpus;
  if (!others.empty() && !too_many)
    return {others, "let its libraries run one thread each (OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1)"};
  return {too_many
              ? fmt::format("{} threads share {}", team, plural(p.cpus, "CPU"))
              : fmt::format("other programs or threads used the CPUs{}", waited < 0 ? ", or the threads slept" : ""),
          "run it with fewer threads or on a quiet machine"};
}

std::optional<NotValid> why_not_valid(const Profile& p) {
  if (!p.machine.empty())
    return NotValid{
        fmt::format("the program ran as on {}", p.machine),
        fmt::format("the program ran as on {}, which is not this computer", p.machine),
        fmt::format("The program ran as on {}, which is not the computer that it ran on.", p.machine),
        fmt::format(
            "the program ran as on {}, which is not this computer: look at counts, structure and places, not at times",
            p.machine)};
  if (p.totals.clock_jumped)
    return NotValid{
        "the clocks went apart", "the computer's clocks went apart while it recorded; counts and structure are",
        "The computer's clocks went apart while it recorded: it slept, was moved, or its clock was set.",
        "times cannot be trusted: the computer's clocks went apart while it recorded (it slept, was moved, or its clock was "
        "set); record again"};
  if (p.slowed)
    return NotValid{
        "memory accesses were counted; record without, and give both",
        "memory accesses were counted, which takes longer than they do; counts and structure are",
        "Memory accesses were counted in this run, which takes longer than the accesses do. `einkorn report --accesses` puts "
        "the counts beside the times of another run.",
        "memory accesses were counted, which takes time: give this recording to `einkorn report` with one without them"};
  if (p.times_valid) return std::nullopt;
  const OffCpu why = why_off_cpu(p);
  const std::string part = percent(profile::without_cpu(p), 1);
  const bool waited = p.totals.cpu_wait_ns > profile::off_cpu(p);
  if (const double off = times_off_by(p); off > 0)
    return NotValid{
        fmt::format("times may be off by {:.0f} %, as {}", 100 * off, why.because),
        fmt::format(
            "for {} of the thread time {} (limit {:.0f} %): they may be off by {:.0f} %. Problems that cost more than "
            "that are told",
            part, waited ? "threads waited for a CPU" : "threads were off the CPU", 100 * profile::kMostWithoutCpu,
            100 * off),
        fmt::format("For {} of their time the threads {}: {}. Times may be off by {:.0f} %.", part,
                    waited ? "waited for a CPU" : "were off the CPU", why.because, 100 * off),
        fmt::format(
            "no problem found that costs more than times may be off by, which is {:.0f} %: {} of the thread time was spent {}, "
            "because {}; {}",
            100 * off, part, waited ? "waiting for a CPU" : "off the CPU", why.because, why.advice)};
  return NotValid{
      why.because,
      fmt::format("for {} of the thread time {} (limit {:.0f} %); counts and structure are", part,
                  waited ? "threads waited for a CPU" : "threads were off the CPU", 100 * profile::kMostWithoutCpu),
      fmt::format("For {} of their time the threads {}: {}.", part, waited ? "waited for a CPU" : "were off the CPU",
                  why.because),
      fmt::format("times cannot be trusted: {} of the thread time was spent {}, because {}; {}", part,
                  waited ? "waiting for a CPU" : "off the CPU", why.because, why.advice)};
}

double times_off_by(const Profile& p) {
  if (p.times_valid || !p.machine.empty() || p.totals.clock_jumped || p.slowed) return 0;
  const double off = 2 * profile::without_cpu(p);
  return off <= kMostOff ? off : 0;
}

std::string cpus_moved(double one_line, double other_line) {
  if (profile::same_distance(one_line, other_line)) return "";
  return fmt::format(
      "A cache line took {:.0f} ns from one CPU to another before one recording, {:.0f} ns before another: the host of "
      "this virtual machine moved its CPUs, and differences may come from that. Record in turn, and again.",
      one_line, other_line);
}

}  // namespace einkorn::report

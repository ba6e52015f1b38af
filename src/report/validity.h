// Why a recording's times mean nothing, in the words of the text, the page and the last line.
#pragma once
#include <optional>
#include <string>
#include "profile/types.h"

namespace einkorn::report {

// Why the threads were off the CPU, and what to do about it.
struct OffCpu {
  std::string because;  // "other programs or threads used the CPUs"
  std::string advice;   // "run it with fewer threads or on a quiet machine"
};
OffCpu why_off_cpu(const profile::Profile&);

struct NotValid {
  std::string because;  // "no seconds can be given: ..."
  std::string warning;  // "times are not valid: ..."
  std::string why;      // one or two sentences; that counts and structure hold goes without saying
  std::string verdict;  // the last line, where no problem was found
};
// Nothing: they are valid.
std::optional<NotValid> why_not_valid(const profile::Profile&);

// Between valid and useless: threads had no CPU for more than valid times allow, and for little enough that what is
// much larger is seen all the same. By what part of itself the wall time may be off: a thread that is stopped makes
// others wait for it, so twice the part without a CPU. 0: times are valid, or tell nothing. Problems that are larger
// than this are ranked; promises and predictions are not made.
double times_off_by(const profile::Profile&);
inline constexpr double kMostOff = 0.5;

// Two recordings, with what a cache line took from one CPU to another just before each, in ns (not above 0: unknown): a
// sentence where CPUs were at other distances from each other; empty where they were not.
std::string cpus_moved(double one_line, double other_line);

}  // namespace einkorn::report

// How much of the CPUs other programs took while something was measured.
#pragma once
#include <cstdint>

namespace einkorn::cli {

class Interference {
 public:
  Interference() : start_(now()) {}
  // Share of the time of the process's CPUs, from 0 to 1, that others had since the start: other programs, and the
  // host of a virtual machine. Negative: the system does not say.
  double share() const;

  // From here on a latency or a barrier may be another program's time slice.
  static constexpr double kMost = 0.05;

 private:
  struct Reading {
    bool known = false;
    double busy_s = 0;  // of the process's CPUs, by anybody
    double own_s = 0;   // CPU time of this process and of its children that ended
    double wall_s = 0;
    int cpus = 0;
  };
  static Reading now();
  Reading start_;
};

}  // namespace einkorn::cli

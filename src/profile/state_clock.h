// Where one thread's time goes: adds up the intervals of its states and carves the off-CPU time out of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include "profile/types.h"

namespace einkorn::profile {

// Sees every interval before off-CPU time is carved out of it. For tests.
using IntervalSink = std::function<void(uint32_t thread, State, int64_t begin, int64_t end)>;

class StateClock {
 public:
  // The thread is in no team: its time belongs to nobody, and whether it used a CPU is not known.
  void outside(int64_t begin, int64_t end) { window_outside_ += end - begin; }
  void add(State state, int64_t begin, int64_t end) {
    int64_t d = end - begin;
    times_[int(state)] += d;
    if (state == State::work) window_work_ += d;
    else if (state == State::serial) window_serial_ += d;
  }
  // The thread had used `cpu` ns of CPU and been parked by the runtime for `parked` ns up to `at`.
  //
  // Between two such readings the thread was off its CPU for wall - cpu - parked. Nothing says when, so it is divided
  // by length among the kinds of time in the window: work, serial, and what remains after parking (runtime code,
  // spinning). Only the part of work moves to offcpu: the others last as long whether or not the thread has a CPU. Time
  // outside counts as off the CPU: what is left over is certain.
  // Returns how much of the work in the window that was, and the work.
  std::pair<int64_t, int64_t> reading(int64_t at, int64_t cpu, int64_t parked) {
    const int64_t work = window_work_;
    const int64_t off =
        last_at_ >= 0 && at > last_at_ ? carve(at - last_at_, cpu - last_cpu_, parked - last_parked_) : 0;
    last_at_ = at;
    last_cpu_ = cpu;
    last_parked_ = parked;
    window_work_ = window_serial_ = window_outside_ = 0;
    return {off, work};
  }
  // The time before is not in the same window: a lost stretch.
  void forget_reading() { last_at_ = -1; }

  const StateTimes& times() const { return times_; }
  // Off the CPU in teams, in any state: in the runtime's code and while idle, too.
  int64_t off_cpu() const { return anywhere_; }

 private:
  // Two clocks are compared, read some 100 ns apart: small differences are theirs.
  static constexpr int64_t kNoise = 20000;

  int64_t carve(int64_t wall, int64_t cpu, int64_t parked) {
    parked = std::clamp<int64_t>(parked, 0, wall);
    int64_t missing = wall - window_outside_ - std::clamp<int64_t>(cpu, 0, wall) - parked;
    if (missing <= 0 || (missing < kNoise && missing < wall / 100)) return 0;
    int64_t rest = std::max<int64_t>(0, wall - window_work_ - window_serial_ - window_outside_ - parked);
    double bearing = double(window_work_) + double(window_serial_) + double(rest);
    if (bearing <= 0) return 0;
    int64_t off = std::min(window_work_, int64_t(double(missing) * (double(window_work_) / bearing)));
    times_[int(State::work)] -= off;
    times_[int(State::offcpu)] += off;
    anywhere_ += int64_t(double(missing) * ((double(window_work_) + double(rest)) / bearing));
    return off;
  }

  StateTimes times_{};
  int64_t anywhere_ = 0;
  int64_t last_at_ = -1, last_cpu_ = 0, last_parked_ = 0;
  int64_t window_work_ = 0, window_serial_ = 0, window_outside_ = 0;
};

}  // namespace einkorn::profile

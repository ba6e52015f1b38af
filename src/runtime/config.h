// Settings from the environment, read once when the library is loaded. The table is config.def.
#pragma once
#include <cstdint>
#include "schedule/types.h"

namespace einkorn::runtime {

// omp_sched_t without its monotonic bit.
enum class LoopKind : uint32_t { static_ = 1, dynamic = 2, guided = 3, automatic = 4 };
inline constexpr uint32_t kMonotonic = 0x80000000u;

struct LoopSchedule {
  LoopKind kind = LoopKind::dynamic;
  int32_t chunk = 1;      // 0: none given
  bool monotonic = false;
};

enum class WaitPolicy : uint8_t { unset, active, passive };

struct Config {
  static constexpr int kMaxLevels = 16;
  int num_threads[kMaxLevels] = {};  // by nesting level; [0] == 0: not set
  int num_threads_levels = 0;
  LoopSchedule run_schedule;
  bool dynamic = false;
  bool nested = false;
  bool nested_set = false;
  int max_active_levels = 1;
  bool max_active_levels_set = false;
  int thread_limit = 0x7fffffff;
  uint64_t stack_bytes = 0;          // 0: the system's default
  WaitPolicy wait_policy = WaitPolicy::unset;
  int max_task_priority = 0;
  bool cancellation = false;
  int display_env = 0;               // 1: true, 2: verbose
  const schedule::Schedule* schedule = nullptr;
  const char* record = nullptr;      // nullptr: no recording
  uint64_t record_memory = 256ull << 20;
};

extern Config g_config;

// Reads the environment into g_config. An invalid value is reported on stderr and the default kept.
void config_init();
// OMP_DISPLAY_ENV and omp_display_env(): on stderr, in the form of the specification.
void config_display(bool verbose);

}  // namespace einkorn::runtime

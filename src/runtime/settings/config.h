// Settings from the environment, read once when the library is loaded. The table is config.def.
#pragma once
#include <cstdint>
#include "memory/distribution.h"
#include "record/format.h"
#include "schedule/loops.h"
#include "schedule/tploop.h"

namespace einkorn::runtime {

// omp_sched_t without its monotonic bit; LLVM's trapezoidal is 101 there. Trapezoidal: chunks that shrink by a
// constant, from half of what guided begins with (Tzen and Ni 1993). From own on: the rules of schedule/loops.h that
// have no other way.
enum class LoopKind : uint32_t { static_ = 1, dynamic = 2, guided = 3, automatic = 4, trapezoidal = 5, own = 6 };
constexpr LoopKind own_kind(int rule) { return LoopKind(int(LoopKind::own) + rule - schedule::kFirstOwnRule); }
constexpr int rule_of(LoopKind own) { return int(own) - int(LoopKind::own) + schedule::kFirstOwnRule; }
inline constexpr uint32_t kMonotonic = 0x80000000u;

struct LoopSchedule {
  LoopKind kind = LoopKind::dynamic;
  int32_t chunk = 1;  // 0: none given
  bool monotonic = false;
};

// What of codelets is there (einkorn/codelet.h), and who runs free regions.
enum class Codelets : uint8_t { on, off, alone, threads };
// How clang's reductions are to be done: KMP_FORCE_REDUCTION.
enum class ForcedReduction : uint8_t { unset, critical, atomics, tree };
enum class WaitPolicy : uint8_t { unset, active, passive };

// omp_proc_bind_t.
enum class ProcBind : int8_t { unset = -1, off = 0, on = 1, primary = 2, close = 3, spread = 4 };

// kmp_target_offload_kind of libomptarget's interface.
enum class TargetOffload : uint8_t { disabled = 0, standard = 1, mandatory = 2 };

inline constexpr int64_t kBlockForever = int64_t(1) << 60;  // us, see Config::blocktime_us
inline constexpr int kInvalidDevice = -4;                   // omp_invalid_device of OpenMP 5.2

struct Config {
  bool for_libomp = false;  // the program was built for libomp: its defaults, and its words for warnings
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
  int device_thread_limit = 0x7fffffff;
  const char* hw_subset = nullptr;
  bool settings = false;
  uint64_t stack_bytes = 0;  // 0: the system's default
  Codelets codelets = Codelets::on;
  WaitPolicy wait_policy = WaitPolicy::unset;
  int max_task_priority = 0;
  bool cancellation = false;
  ProcBind proc_bind[kMaxLevels] = {ProcBind::unset};  // by nesting level
  int proc_bind_levels = 0;
  ProcBind teams_bind = ProcBind::spread;
  const char* places = nullptr;  // text of OMP_PLACES, read by places.cpp
  const char* cpu_affinity = nullptr;
  bool display_affinity = false;
  const char* affinity_format = "level %L thread %i affinity %A";
  uintptr_t allocator = 1;  // omp_default_mem_alloc
  int default_device = -1;  // -1: not set
  TargetOffload target_offload = TargetOffload::standard;
  int hidden_helpers = 8;  // threads for target tasks (runtime/task/helpers.h)
  bool uses_hidden_helpers = true;
  int num_teams = 0;           // 0: not set
  int teams_thread_limit = 0;  // 0: not set
  int64_t blocktime_us = -1;   // how long a thread between regions stays awake; -1: as the wait policy says
  int kmp_library = 3;         // 1 serial, 2 turnaround, 3 throughput
  const char* kmp_affinity = nullptr;
  ForcedReduction reduction = ForcedReduction::unset;
  bool deterministic_reduction = false;
  struct {
  } warnings;           // whether they are printed: g_warnings (base/platform.h), which they are printed by
  int display_env = 0;  // 1: true, 2: verbose
  const schedule::Schedule* schedule = nullptr;
  const char* hints = nullptr;  // a hints file, or the text of one (src/runtime/tuned)
  schedule::Shape amm;          // of EINKORN_AMM; it is in `schedule`, too
  schedule::LoopVictim loop_victim = schedule::LoopVictim::none;
  int tp_instances = 0;  // 0: not set
  schedule::LoopThresholds tploop;
  const char* stats = nullptr;  // where what schedules did is written; nullptr: nowhere
  bool tool = true;
  const char* tool_libraries = nullptr;
  const char* tool_verbose_init = nullptr;
  const char* machine = nullptr;  // EINKORN_MACHINE; nullptr: this computer
  memory::Layout data_distribution = memory::Layout::system;
  const char* record = nullptr;  // nullptr: no recording
  uint64_t record_memory = 256ull << 20;
  record::Stamps record_stamps = record::Stamps::automatic;
  int record_depth = 0x7fffffff;
  const char* record_filter = nullptr;
  uint64_t record_max_size = 0;  // 0: any
  bool record_roi = false;
  uint64_t record_last_ns = 0;  // 0: all
  bool record_accesses = false;
  bool record_allocations = false;
  const char* record_counters = nullptr;
};

extern Config g_config;

inline ForcedReduction forced_reduction(const Config& c) {
  if (c.reduction != ForcedReduction::unset) return c.reduction;
  return c.deterministic_reduction ? ForcedReduction::tree : ForcedReduction::unset;
}

// Reads the environment into g_config, but for places (places.h). An invalid value is reported on stderr and the
// default kept.
void config_init();
// A schedule that goes by nodes needs threads that stay on theirs. Of a shape they have places: places_init(), which
// asks again where the shape does not fit the machine.
void bind_by_schedule(Config&);
// As if the variable had been set so (kmp_set_defaults); text that is kept must stay. false: there is no such variable.
bool config_set(const char* name, const char* value);
// Has the environment a value (base::set_value), or else a hint?
bool is_set_or_hinted(const char* name);
// OMP_DISPLAY_ENV and omp_display_env(): on stderr, in the form of the specification.
void config_display(bool verbose);
// What KMP_SETTINGS asks for: the variables that are set, and all values in force.
void config_settings();

}  // namespace einkorn::runtime

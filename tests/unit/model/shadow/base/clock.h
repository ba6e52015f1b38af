// Replaces src/base/clock.h in the model checker, where nothing takes any time, and on the timed platform
// (bench/large), where a tick is a nanosecond of the running thread's time.
#pragma once
#include <cstdint>

namespace model {
uint64_t ticks();
}

namespace einkorn::inline base {

inline uint64_t ticks() { return model::ticks(); }
inline constexpr uint32_t g_ticks_in_2_20_ns = 1u << 20;
inline uint64_t in_ticks(uint64_t ns) { return ns; }
uint64_t ticks_per_second();

}  // namespace einkorn::inline base

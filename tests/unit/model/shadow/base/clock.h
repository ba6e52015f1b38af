// Replaces src/base/clock.h in the model checker: nothing takes any time.
#pragma once
#include <cstdint>

namespace einkorn::inline base {

inline uint64_t ticks() { return 0; }
inline constexpr uint32_t g_ticks_in_2_20_ns = 1u << 20;
inline uint64_t in_ticks(uint64_t ns) { return ns; }
uint64_t ticks_per_second();

}  // namespace einkorn::inline base

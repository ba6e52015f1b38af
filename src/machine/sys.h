// Reads this computer from /sys where there is no hwloc: the same Machine, without the kinds of memory that hwloc
// knows.
#pragma once
#include "base/cpus.h"
#include "machine/types.h"

namespace einkorn::machine {

// Never fails: if /sys tells nothing, the machine is one node of one socket.
Machine real_from_sys(const CpuSet& allowed);

}  // namespace einkorn::machine

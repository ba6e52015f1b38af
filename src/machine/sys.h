// This computer from /sys, where there is no hwloc: the same Machine, less the kinds of memory that hwloc knows.
#pragma once
#include "machine/cpus.h"
#include "machine/types.h"

namespace einkorn::machine {

// Never fails: what /sys does not tell is one node of one socket.
Machine real_from_sys(const CpuSet& allowed);

}  // namespace einkorn::machine

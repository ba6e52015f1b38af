// KMP_HW_SUBSET: the part of the machine that the process's OpenMP uses.
#pragma once
#include <string>

#include "base/cpus.h"
#include "machine/types.h"

namespace einkorn::runtime {

// The CPUs of m that `text` leaves: items such as 2s,4c@2,1t (a number or *, a level, and how many are left out
// before), each counted inside of the next larger level that is named, else inside of each socket. false: *why says
// what is wrong.
bool hw_subset(const char* text, const machine::Machine& m, base::CpuSet* out, std::string* why);

// Limits the calling thread, and with it all that it starts, to the CPUs of KMP_HW_SUBSET. Before anything else asks
// which CPUs the process has.
void hw_subset_init();

}  // namespace einkorn::runtime

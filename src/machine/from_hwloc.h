// An hwloc topology as a Machine: this computer's, an XML file's (load_xml() of load.h), a synthetic text's.
#pragma once
#include <string>

#include "base/cpus.h"
#include "machine/hwloc_library.h"
#include "machine/types.h"

namespace einkorn::machine {

// allowed: only these CPUs; nullptr: all. Sets neither name nor real. false: *why says why not.
bool machine_of(const Hwloc& h, hwloc_topology_t topology, const CpuSet* allowed, Machine* out, std::string* why);

// false: without hwloc, or where it finds nothing.
bool real_from_hwloc(const CpuSet& allowed, Machine* out);
bool synthetic_from_hwloc(const std::string& text, Machine* out, std::string* why);

}  // namespace einkorn::machine

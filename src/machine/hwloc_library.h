// libhwloc, opened only when it is asked for: loading it costs more than everything else at a program's start. The
// struct has the functions that Einkorn uses, by their names without `hwloc_`. The program does not see hwloc's
// symbols; it may have an hwloc of its own.
#pragma once
#include <hwloc.h>

// clang-format off
#define EK_HWLOC_FUNCTIONS(F)                                                                                          \
  F(topology_init) F(topology_load) F(topology_destroy) F(topology_set_xml) F(topology_set_synthetic)                  \
  F(topology_is_thissystem) F(get_type_depth) F(get_nbobjs_by_depth) F(get_obj_by_depth)                               \
  F(bitmap_next) F(distances_get_by_type) F(distances_release)
// These came with hwloc 2.4: nullptr in an older one.
#define EK_HWLOC_NEWER(F) F(cpukinds_get_nr) F(cpukinds_get_info) F(bitmap_alloc) F(bitmap_free)
// clang-format on

namespace einkorn::machine {

struct Hwloc {
#define EK_FUNCTION(name) decltype(&hwloc_##name) name;
  EK_HWLOC_FUNCTIONS(EK_FUNCTION)
  EK_HWLOC_NEWER(EK_FUNCTION)
#undef EK_FUNCTION
};

// nullptr: libhwloc.so.15 is not on this computer, or too old. The first call takes about a millisecond.
const Hwloc* hwloc();

}  // namespace einkorn::machine

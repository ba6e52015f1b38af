// Memory spaces and allocators of given devices (OpenMP 6.0), which clang 21's omp.h has: where the only device is the
// host, its own.
#include "abi/abi.h"
#include "memory/allocator.h"
#include "runtime/task/target.h"

using namespace einkorn::abi;
using einkorn::memory::Handle;
namespace memory = einkorn::memory;

namespace {

constexpr uintptr_t kNullSpace = 0;

bool are_host(int count, const int* devices) {
  for (int i = 0; i < count; ++i)
    if (!means_host(self(), devices[i])) return false;
  return true;
}

uintptr_t space_of(bool host, uintptr_t space) { return host && memory::is_space(space) ? space : kNullSpace; }
Handle allocator_of(bool host, uintptr_t space) { return host ? memory::allocator_of(space) : memory::kNullAllocator; }

}  // namespace

// Each in C, and for Fortran, which passes by reference.
#define EK_OF_DEVICES(type, what, of)                                                                               \
  EK_EXPORT type omp_get_devices_##what(int count, const int* devices, uintptr_t space) {                           \
    return of(count > 0 && are_host(count, devices), space);                                                        \
  }                                                                                                                 \
  EK_EXPORT type omp_get_devices_##what##_(const int* count, const int* devices, const uintptr_t* space) {          \
    return omp_get_devices_##what(*count, devices, *space);                                                         \
  }                                                                                                                 \
  EK_EXPORT type omp_get_device_##what(int device, uintptr_t space) { return of(are_host(1, &device), space); }     \
  EK_EXPORT type omp_get_device_##what##_(const int* device, const uintptr_t* space) {                              \
    return omp_get_device_##what(*device, *space);                                                                  \
  }                                                                                                                 \
  EK_EXPORT type omp_get_devices_and_host_##what(int count, const int* devices, uintptr_t space) {                  \
    return of(are_host(count, devices), space);                                                                     \
  }                                                                                                                 \
  EK_EXPORT type omp_get_devices_and_host_##what##_(const int* count, const int* devices, const uintptr_t* space) { \
    return omp_get_devices_and_host_##what(*count, devices, *space);                                                \
  }                                                                                                                 \
  EK_EXPORT type omp_get_device_and_host_##what(int device, uintptr_t space) {                                      \
    return of(are_host(1, &device), space);                                                                         \
  }                                                                                                                 \
  EK_EXPORT type omp_get_device_and_host_##what##_(const int* device, const uintptr_t* space) {                     \
    return omp_get_device_and_host_##what(*device, *space);                                                         \
  }                                                                                                                 \
  EK_EXPORT type omp_get_devices_all_##what(uintptr_t space) { return of(true, space); }                            \
  EK_EXPORT type omp_get_devices_all_##what##_(const uintptr_t* space) { return of(true, *space); }

EK_OF_DEVICES(uintptr_t, memspace, space_of)
EK_OF_DEVICES(Handle, allocator, allocator_of)

// A space has one resource: the memory of this computer.
EK_EXPORT int omp_get_memspace_num_resources(uintptr_t space) { return memory::is_space(space); }
EK_EXPORT int omp_get_memspace_num_resources_(const uintptr_t* space) { return memory::is_space(*space); }
EK_EXPORT uintptr_t omp_get_submemspace(uintptr_t space, int count, const int* resources) {
  return space_of(count == 1 && resources[0] == 0, space);
}
EK_EXPORT uintptr_t omp_get_submemspace_(const uintptr_t* space, const int* count, const int* resources) {
  return omp_get_submemspace(*space, *count, resources);
}

// clang 23: memory that a target region asked for with dyn_groupprivate, which the host has none of.
EK_EXPORT void* omp_get_dyn_gprivate_ptr(size_t, int) { return nullptr; }
EK_EXPORT void* omp_get_dyn_gprivate_nofb_ptr(size_t, int) { return nullptr; }
EK_EXPORT size_t omp_get_dyn_gprivate_size(int) { return 0; }
EK_EXPORT uintptr_t omp_get_dyn_gprivate_memspace(int) { return kNullSpace; }

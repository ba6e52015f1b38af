// Target regions where the host is the only device: the region's thread becomes an initial thread with control
// variables of its own for the region's duration (OpenMP 5.1, 2.14.5), and mapped variables are the original ones.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// Runs fn(data) as a target region on the calling thread. thread_limit 0: none was given.
void target_region(Worker* w, void (*fn)(void*), void* data, int thread_limit);

// The same without its beginning and end being told: in an initial team, of which the initial task has these control
// variables.
void in_target_team(Worker* w, uint32_t icv, void (*fn)(void*), void* data);

// omp_initial_device, and omp_default_device of gcc 16. omp_invalid_device is -4 in gcc, -2 in clang.
inline constexpr int kInitialDevice = -1, kDeviceDefault = -5;
inline int invalid_device() { return g_config.for_libomp ? -2 : kInvalidDevice; }
bool is_invalid_device(int device);

// Is a target region for device `device` to run on the host? Stops the program where OMP_TARGET_OFFLOAD=mandatory
// forbids, and for omp_invalid_device. device: a number, but kDeviceIcv for none and kDeviceHost for omp_initial_device
// (since gcc 13), or where an if clause said so.
inline constexpr int kDeviceIcv = -1, kDeviceHost = -2;
void check_offload(Worker* w, int device);
// The same for a number as a routine gets it: does it mean the host? Stops the program for omp_invalid_device.
bool means_host(Worker* w, int device);

// A block of an array with `dims` dimensions; offsets and array sizes in elements, of the outermost dimension first.
struct Box {
  size_t element;
  int dims;
  const size_t* volume;
  const size_t* to_offsets;
  const size_t* from_offsets;
  const size_t* to_dims;
  const size_t* from_dims;
};
// false: sizes overflow, nothing may have been copied.
bool copy_box(void* to, const void* from, const Box& box);

}  // namespace einkorn::runtime

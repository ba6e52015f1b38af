// Allocators of OpenMP 5.1, 2.13: memory from a space, with traits. All spaces are the system's memory; the partition
// trait says on which nodes it is (distribution.h).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace einkorn::memory {

// omp_allocator_handle_t: a predefined one, or the address of an Allocator, which is none of the small numbers. Both
// compilers have predefined ones of their own among these (llvm_omp_target_*_mem_alloc 100 to 102,
// ompx_gnu_managed_mem_alloc 201), and may get more: each that is not named here gives what omp_default_mem_alloc does,
// since without a device the host's memory serves them all.
using Handle = uintptr_t;
inline constexpr Handle kNullAllocator = 0, kDefaultAllocator = 1;
inline constexpr Handle kPinnedAllocator = 200;   // ompx_gnu_pinned_mem_alloc of gcc 15
inline constexpr Handle kLastPredefined = 4'095;  // nothing is allocated in the first page

// omp_alloctrait_key_t, omp_alloctrait_value_t and omp_alloctrait_t: the same numbers in gcc and clang, but for `all`.
// From pin_device on: OpenMP 6.0, of devices other than the host.
enum class Key : int32_t {
  sync_hint = 1,
  alignment,
  access,
  pool_size,
  fallback,
  fb_data,
  pinned,
  partition,
  pin_device,
  preferred_device,
  device_access,
  target_access,
  atomic_scope,
  part_size
};
enum Value : uintptr_t {
  kFalse = 0,
  kTrue = 1,
  kContended = 3,
  kUncontended,
  kSerialized,
  kPrivate,
  kAll,
  kThread,
  kPteam,
  kCgroup,
  kDefaultMemFb,
  kNullFb,
  kAbortFb,
  kAllocatorFb,
  kEnvironment,
  kNearest,
  kBlocked,
  kInterleaved,
  kAllOfLlvm,  // since clang 21, where kAll is omp_atv_device
  kMemspace = kAllOfLlvm + 3,
  kDefault = ~uintptr_t(0)
};
struct Trait {
  Key key;
  uintptr_t value;
};

inline constexpr uint64_t kNoLimit = ~uint64_t(0);

struct Allocator {
  uintptr_t space = 0;
  size_t alignment = sizeof(void*);
  uint64_t pool_size = kNoLimit;  // bytes, our headers and padding included
  Value fallback = kDefaultMemFb;
  Handle fb_data = kNullAllocator;
  bool pinned = false;
  Value partition =
      kEnvironment;  // environment: as EINKORN_DATA_DISTRIBUTION says; by default where it is first touched
  std::atomic<uint64_t> used{0};  // bytes of pool_size
};

// A memory space of one of both compilers: omp_default_mem_space and so on.
bool is_space(uintptr_t space);
// The predefined allocator of a space, kNullAllocator if it is none.
Handle allocator_of(uintptr_t space);

// kNullAllocator: a trait is not valid, or cannot be met.
Handle init_allocator(uintptr_t space, int count, const Trait* traits);
void destroy_allocator(Handle);

// nullptr: size 0, or no memory; *abort is then true if the allocator's fallback is to end the program. alignment: a
// power of two, or less than the allocator's. otherwise: used in place of kNullAllocator.
void* allocate(size_t alignment, size_t size, Handle, Handle otherwise, bool zero, bool* abort);
// Reallocates by `to` (kNullAllocator: by the block's own). If it returns nullptr, the old block stays as it is; but
// size 0 frees it.
void* reallocate(void*, size_t size, Handle to, Handle otherwise, bool* abort);
void free(void*);

}  // namespace einkorn::memory

// omp_alloc and its family, the allocate clause of gcc (GOMP_alloc) and clang (__kmpc_alloc): OpenMP 5.1, 3.13.
#include "abi/abi.h"
#include "memory/allocator.h"
#include "memory/scalars.h"
#include "runtime/settings/icv.h"

using namespace einkorn::abi;
using einkorn::memory::Handle;
using einkorn::memory::Trait;
namespace memory = einkorn::memory;

namespace {

[[noreturn]] void out_of_memory(size_t bytes) {
  fatal("out of memory: an OpenMP allocator could not give %zu bytes, and its fallback is to end the program", bytes);
}

void* get(size_t alignment, size_t size, Handle allocator, bool zero) {
  bool abort;
  Handle otherwise = allocator == memory::kNullAllocator ? default_allocator(self()) : memory::kDefaultAllocator;
  void* p = memory::allocate(alignment, size, allocator, otherwise, zero, &abort);
  if (EK_UNLIKELY(abort)) out_of_memory(size);
  return p;
}

void* get_array(size_t alignment, size_t count, size_t size, Handle allocator) {
  size_t bytes;
  // More than there can be: the allocator's fallback trait decides what happens.
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  return get(alignment, bytes, allocator, true);
}

void* change(void* p, size_t size, Handle allocator) {
  bool abort;
  void* moved = memory::reallocate(p, size, allocator, default_allocator(self()), &abort);
  if (EK_UNLIKELY(abort)) out_of_memory(size);
  return moved;
}

}  // namespace

EK_EXPORT Handle omp_init_allocator(uintptr_t space, int count, const Trait* traits) {
  return memory::init_allocator(space, count, traits);
}
EK_EXPORT Handle omp_init_allocator_(const uintptr_t* space, const int* count, const Trait* traits) {
  return memory::init_allocator(*space, *count, traits);
}
EK_EXPORT Handle omp_init_allocator_8_(const uintptr_t* space, const int64_t* count, const Trait* traits) {
  return memory::init_allocator(*space, int(*count), traits);
}
EK_EXPORT void omp_destroy_allocator(Handle allocator) { memory::destroy_allocator(allocator); }
EK_EXPORT void omp_destroy_allocator_(const Handle* allocator) { memory::destroy_allocator(*allocator); }
EK_EXPORT void omp_set_default_allocator(Handle allocator) {
  if (allocator != memory::kNullAllocator) set_default_allocator(self(), allocator);
}
EK_EXPORT void omp_set_default_allocator_(const Handle* allocator) { omp_set_default_allocator(*allocator); }
EK_EXPORT Handle omp_get_default_allocator() { return default_allocator(self()); }
EK_EXPORT Handle omp_get_default_allocator_() { return default_allocator(self()); }

EK_EXPORT void* omp_alloc(size_t size, Handle allocator) { return get(1, size, allocator, false); }
EK_EXPORT void* omp_aligned_alloc(size_t alignment, size_t size, Handle allocator) {
  return get(alignment, size, allocator, false);
}
EK_EXPORT void* omp_calloc(size_t count, size_t size, Handle allocator) { return get_array(1, count, size, allocator); }
EK_EXPORT void* omp_aligned_calloc(size_t alignment, size_t count, size_t size, Handle allocator) {
  return get_array(alignment, count, size, allocator);
}
EK_EXPORT void* omp_realloc(void* p, size_t size, Handle allocator, Handle) { return change(p, size, allocator); }
EK_EXPORT void omp_free(void* p, Handle) { memory::free(p); }

// The allocate clause cannot go on without memory: null_fb acts as abort_fb (OpenMP 5.1, 2.13.4).
EK_EXPORT void* GOMP_alloc(size_t alignment, size_t size, Handle allocator) {
  void* p = get(alignment, size, allocator, false);
  if (EK_UNLIKELY(!p && size)) out_of_memory(size);
  return p;
}
EK_EXPORT void GOMP_free(void* p, Handle) { memory::free(p); }

// gfortran 14: an allocatable scalar of an allocators directive; asked before its memory is freed or moved.
EK_EXPORT void GOMP_add_alloc(void* p) { memory::note_scalar(p); }
EK_EXPORT bool GOMP_is_alloc(void* p) { return memory::take_scalar(p); }

EK_EXPORT Handle __kmpc_init_allocator(int, uintptr_t space, int count, const Trait* traits) {
  return memory::init_allocator(space, count, traits);
}
EK_EXPORT void __kmpc_destroy_allocator(int, Handle allocator) { memory::destroy_allocator(allocator); }
EK_EXPORT void __kmpc_set_default_allocator(int, Handle allocator) { omp_set_default_allocator(allocator); }
EK_EXPORT Handle __kmpc_get_default_allocator(int) { return default_allocator(self()); }
EK_EXPORT void* __kmpc_alloc(int, size_t size, Handle allocator) { return get(1, size, allocator, false); }
EK_EXPORT void* __kmpc_aligned_alloc(int, size_t alignment, size_t size, Handle allocator) {
  return get(alignment, size, allocator, false);
}
EK_EXPORT void* __kmpc_calloc(int, size_t count, size_t size, Handle allocator) {
  return get_array(1, count, size, allocator);
}
EK_EXPORT void* __kmpc_realloc(int, void* p, size_t size, Handle allocator, Handle) {
  return change(p, size, allocator);
}
EK_EXPORT void __kmpc_free(int, void* p, Handle) { memory::free(p); }

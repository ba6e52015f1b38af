// The calls that gcc 12 and clang 19 insert before loads and stores with -fsanitize=thread.
#include "accesses/library.h"
#include "accesses/writers.h"

#define HOOK extern "C" __attribute__((visibility("default"))) void
#define CALLER reinterpret_cast<uint64_t>(__builtin_return_address(0))

using namespace einkorn::accesses;

namespace {
__attribute__((always_inline)) inline void tell(const void* p, uint32_t size, Access kind, uint64_t pc) {
  Table* t = t_table;
  if (!t) return;
  t->access(address_of(p), size, kind, pc);
  if (kind & kStore) note_write(address_of(p), size, t->stream(), pc);
}
}  // namespace

#define ACCESSES(SIZE)                                                                     \
  HOOK __tsan_read##SIZE(void* p) { tell(p, SIZE, kLoad, CALLER); }                        \
  HOOK __tsan_write##SIZE(void* p) { tell(p, SIZE, kStore, CALLER); }                      \
  HOOK __tsan_read_write##SIZE(void* p) { tell(p, SIZE, Access(kLoad | kStore), CALLER); } \
  HOOK __tsan_volatile_read##SIZE(void* p) { tell(p, SIZE, kLoad, CALLER); }               \
  HOOK __tsan_volatile_write##SIZE(void* p) { tell(p, SIZE, kStore, CALLER); }             \
  HOOK __tsan_read##SIZE##_pc(void* p, void* pc) { tell(p, SIZE, kLoad, address_of(pc)); } \
  HOOK __tsan_write##SIZE##_pc(void* p, void* pc) { tell(p, SIZE, kStore, address_of(pc)); }
#define UNALIGNED(SIZE)                                                                              \
  HOOK __tsan_unaligned_read##SIZE(void* p) { tell(p, SIZE, kLoad, CALLER); }                        \
  HOOK __tsan_unaligned_write##SIZE(void* p) { tell(p, SIZE, kStore, CALLER); }                      \
  HOOK __tsan_unaligned_read_write##SIZE(void* p) { tell(p, SIZE, Access(kLoad | kStore), CALLER); } \
  HOOK __tsan_unaligned_volatile_read##SIZE(void* p) { tell(p, SIZE, kLoad, CALLER); }               \
  HOOK __tsan_unaligned_volatile_write##SIZE(void* p) { tell(p, SIZE, kStore, CALLER); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

HOOK __tsan_vptr_update(void* p, void*) { tell(p, 8, kStore, CALLER); }
HOOK __tsan_vptr_read(void* p) { tell(p, 8, kLoad, CALLER); }

HOOK __tsan_read_range(void* p, uint64_t size) {
  if (Table* t = t_table) t->range(address_of(p), size, kLoad, CALLER);
}
HOOK __tsan_write_range(void* p, uint64_t size) {
  Table* t = t_table;
  if (!t) return;
  t->range(address_of(p), size, kStore, CALLER);
  t->copied_to = address_of(p);
  t->copied_bytes = size;
}

HOOK __tsan_init() {}
HOOK __tsan_func_entry(void*) {}
HOOK __tsan_func_exit() {}
HOOK __tsan_ignore_thread_begin() {}
HOOK __tsan_ignore_thread_end() {}

// Calls by which libraries tell a race detector about their synchronization: ignored.
HOOK __tsan_acquire(void*) {}
HOOK __tsan_release(void*) {}
HOOK __tsan_mutex_create(void*, unsigned) {}
HOOK __tsan_mutex_destroy(void*, unsigned) {}
HOOK __tsan_mutex_pre_lock(void*, unsigned) {}
HOOK __tsan_mutex_post_lock(void*, unsigned, int) {}
HOOK __tsan_mutex_pre_signal(void*, unsigned) {}
HOOK __tsan_mutex_post_signal(void*, unsigned) {}
HOOK __tsan_mutex_pre_divert(void*, unsigned) {}
HOOK __tsan_mutex_post_divert(void*, unsigned) {}
HOOK __tsan_switch_to_fiber(void*, unsigned) {}
HOOK __tsan_set_fiber_name(void*, const char*) {}
HOOK __tsan_destroy_fiber(void*) {}
extern "C" __attribute__((visibility("default"))) int __tsan_mutex_pre_unlock(void*, unsigned) { return 0; }
HOOK __tsan_mutex_post_unlock(void*, unsigned) {}
extern "C" __attribute__((visibility("default"))) void* __tsan_get_current_fiber() { return nullptr; }
extern "C" __attribute__((visibility("default"))) void* __tsan_create_fiber(unsigned) { return nullptr; }

HOOK AnnotateHappensBefore(const char*, int, void*) {}
HOOK AnnotateHappensAfter(const char*, int, void*) {}
HOOK AnnotateIgnoreReadsBegin(const char*, int) {}
HOOK AnnotateIgnoreReadsEnd(const char*, int) {}
HOOK AnnotateIgnoreWritesBegin(const char*, int) {}
HOOK AnnotateIgnoreWritesEnd(const char*, int) {}
HOOK AnnotateIgnoreSyncBegin(const char*, int) {}
HOOK AnnotateIgnoreSyncEnd(const char*, int) {}
HOOK AnnotateNewMemory(const char*, int, void*, size_t) {}
HOOK AnnotateBenignRaceSized(const char*, int, void*, size_t, const char*) {}
HOOK AnnotateBenignRace(const char*, int, void*, const char*) {}
HOOK AnnotateRWLockCreate(const char*, int, void*) {}
HOOK AnnotateRWLockDestroy(const char*, int, void*) {}
HOOK AnnotateRWLockAcquired(const char*, int, void*, long) {}
HOOK AnnotateRWLockReleased(const char*, int, void*, long) {}

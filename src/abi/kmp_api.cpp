// The kmp_* extensions of LLVM and Intel that programs call. LLVM 19: kmp_ftn_entry.h. Fortran passes by reference.
#include <cerrno>
#include <cstring>
#include <pthread.h>

#include "abi/abi.h"
#include "runtime/task/cancel.h"
#include "runtime/settings/icv.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;

namespace {

enum Library { kSerial = 1, kTurnaround = 2, kThroughput = 3 };

// Of threads that start from now on.
uint64_t stack_bytes() {
  if (g_config.stack_bytes) return g_config.stack_bytes;
  pthread_attr_t attr;
  size_t bytes = 0;
  if (pthread_getattr_default_np(&attr) == 0) {
    pthread_attr_getstacksize(&attr, &bytes);
    pthread_attr_destroy(&attr);
  }
  return bytes;
}
void set_stack_bytes(uint64_t bytes) {
  if (bytes > 0) g_config.stack_bytes = bytes;
}

// Milliseconds; INT_MAX: for ever.
int blocktime() {
  int64_t us = g_config.blocktime_us;
  if (us < 0) return g_config.wait_policy == WaitPolicy::active ? INT_MAX : 0;
  return us >= kBlockForever || us / 1000 > INT_MAX ? INT_MAX : int(us / 1000);
}
void set_blocktime(int ms) {
  if (ms < 0) ms = 0;
  g_config.blocktime_us = ms == INT_MAX ? kBlockForever : int64_t(ms) * 1000;
  g_config.wait_policy = ms == 0 ? WaitPolicy::passive : ms == INT_MAX ? WaitPolicy::active : WaitPolicy::unset;
}

void set_library(int library) {
  if (library < kSerial || library > kThroughput) return;
  int before = g_config.kmp_library;
  g_config.kmp_library = library;
  if (library == kSerial) {
    change_icv(self(), [](Icv& v) { v.num_threads = 1; });
    return;
  }
  if (before == kSerial) change_icv(self(), [](Icv& v) { v.num_threads = 0; });
  g_config.wait_policy = library == kTurnaround ? WaitPolicy::active : WaitPolicy::unset;
}

// "OMP_NUM_THREADS=4|KMP_BLOCKTIME=0".
void set_defaults(const char* text) {
  while (text && *text) {
    size_t n = strcspn(text, "|");
    char entry[1024];
    if (n < sizeof entry) {
      memcpy(entry, text, n);
      entry[n] = 0;
      if (char* equals = strchr(entry, '=')) {
        *equals = 0;
        if (char* kept = strdup(equals + 1)) config_set(entry, kept);  // a setting may point into it
      }
    }
    text += n + (text[n] == '|');
  }
  Worker* w = self();
  own_task(w)->icv = initial_icv();
  g_num_teams.store(g_config.num_teams, std::memory_order_relaxed);
  g_teams_thread_limit.store(g_config.teams_thread_limit, std::memory_order_relaxed);
}

// kind: 0 none, 1 parallel, 2 loop, 3 sections, 4 taskgroup. Is such a construct around the caller cancelled? Acquire:
// what who cancelled it had done before (cancel.cpp).
int cancelled(int kind) {
  Worker* w = self();
  if (!g_config.cancellation) return 0;
  switch (kind) {
    case 1: return region_cancelled(w->team);
    case 2:
    case 3: return w->team->share_cancelled.load(std::memory_order_relaxed) != 0;
    case 4: {
      for (const Taskgroup* g = w->current->group; g; g = g->outer)
        if (g->cancelled.load(std::memory_order_acquire)) return 1;
      return 0;
    }
    default: return 0;
  }
}

int known_threads() {
  int n = 0;
  while (n < kMaxWorkers && g_workers[n]) ++n;
  return n;
}

void* aligned(size_t size, size_t alignment) {
  void* p = nullptr;
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  return posix_memalign(&p, alignment, size) == 0 ? p : nullptr;
}

}  // namespace

// A C name, its Fortran name, and LLVM's own for C where it has one.
EK_EXPORT void kmp_set_stacksize(int bytes) { set_stack_bytes(bytes > 0 ? uint64_t(bytes) : 0); }
EK_EXPORT void kmp_set_stacksize_(const int* bytes) { kmp_set_stacksize(*bytes); }
EK_EXPORT void kmpc_set_stacksize(int bytes) { kmp_set_stacksize(bytes); }
EK_EXPORT void kmp_set_stacksize_s(size_t bytes) { set_stack_bytes(bytes); }
EK_EXPORT void kmp_set_stacksize_s_(const size_t* bytes) { set_stack_bytes(*bytes); }
EK_EXPORT void kmpc_set_stacksize_s(size_t bytes) { set_stack_bytes(bytes); }
EK_EXPORT int kmp_get_stacksize() {
  uint64_t bytes = stack_bytes();
  return bytes > INT_MAX ? INT_MAX : int(bytes);
}
EK_EXPORT int kmp_get_stacksize_() { return kmp_get_stacksize(); }
EK_EXPORT size_t kmp_get_stacksize_s() { return stack_bytes(); }
EK_EXPORT size_t kmp_get_stacksize_s_() { return stack_bytes(); }

EK_EXPORT void kmp_set_blocktime(int ms) { set_blocktime(ms); }
EK_EXPORT void kmp_set_blocktime_(const int* ms) { set_blocktime(*ms); }
EK_EXPORT void kmpc_set_blocktime(int ms) { set_blocktime(ms); }
EK_EXPORT int kmp_get_blocktime() { return blocktime(); }
EK_EXPORT int kmp_get_blocktime_() { return blocktime(); }

EK_EXPORT void kmp_set_library(int library) { set_library(library); }
EK_EXPORT void kmp_set_library_(const int* library) { set_library(*library); }
EK_EXPORT void kmpc_set_library(int library) { set_library(library); }
EK_EXPORT int kmp_get_library() { return g_config.kmp_library; }
EK_EXPORT int kmp_get_library_() { return g_config.kmp_library; }
EK_EXPORT void kmp_set_library_serial() { set_library(kSerial); }
EK_EXPORT void kmp_set_library_serial_() { set_library(kSerial); }
EK_EXPORT void kmp_set_library_turnaround() { set_library(kTurnaround); }
EK_EXPORT void kmp_set_library_turnaround_() { set_library(kTurnaround); }
EK_EXPORT void kmp_set_library_throughput() { set_library(kThroughput); }
EK_EXPORT void kmp_set_library_throughput_() { set_library(kThroughput); }

EK_EXPORT void kmp_set_defaults(const char* text) { set_defaults(text); }
EK_EXPORT void kmpc_set_defaults(const char* text) { set_defaults(text); }
EK_EXPORT void kmp_set_defaults_(const char* text, size_t length) {  // Fortran: blank-padded, its length at the end
  char copy[4096];
  if (length >= sizeof copy) length = sizeof copy - 1;
  memcpy(copy, text, length);
  while (length > 0 && copy[length - 1] == ' ') --length;
  copy[length] = 0;
  set_defaults(copy);
}

// Worksharing constructs in flight have no such limit here.
EK_EXPORT void kmp_set_disp_num_buffers(int) {}
EK_EXPORT void kmp_set_disp_num_buffers_(const int*) {}
EK_EXPORT void kmpc_set_disp_num_buffers(int) {}

EK_EXPORT void kmp_set_warnings_on() { g_warnings = true; }
EK_EXPORT void kmp_set_warnings_on_() { g_warnings = true; }
EK_EXPORT void kmp_set_warnings_off() { g_warnings = false; }
EK_EXPORT void kmp_set_warnings_off_() { g_warnings = false; }

EK_EXPORT int kmp_get_cancellation_status(int kind) { return cancelled(kind); }
EK_EXPORT int kmp_get_cancellation_status_(const int* kind) { return cancelled(*kind); }
EK_EXPORT int kmp_get_num_known_threads() { return known_threads(); }
EK_EXPORT int kmp_get_num_known_threads_() { return known_threads(); }

EK_EXPORT void* kmp_malloc(size_t size) { return malloc(size); }
EK_EXPORT void* kmpc_malloc(size_t size) { return malloc(size); }
EK_EXPORT void* kmp_malloc_(const size_t* size) { return malloc(*size); }
EK_EXPORT void* kmp_aligned_malloc(size_t size, size_t alignment) { return aligned(size, alignment); }
EK_EXPORT void* kmpc_aligned_malloc(size_t size, size_t alignment) { return aligned(size, alignment); }
EK_EXPORT void* kmp_aligned_malloc_(const size_t* size, const size_t* alignment) { return aligned(*size, *alignment); }
EK_EXPORT void* kmp_calloc(size_t count, size_t size) { return calloc(count, size); }
EK_EXPORT void* kmpc_calloc(size_t count, size_t size) { return calloc(count, size); }
EK_EXPORT void* kmp_calloc_(const size_t* count, const size_t* size) { return calloc(*count, *size); }
EK_EXPORT void* kmp_realloc(void* p, size_t size) { return realloc(p, size); }
EK_EXPORT void* kmpc_realloc(void* p, size_t size) { return realloc(p, size); }
EK_EXPORT void* kmp_realloc_(void** p, const size_t* size) { return realloc(*p, *size); }
EK_EXPORT void kmp_free(void* p) { free(p); }
EK_EXPORT void kmpc_free(void* p) { free(p); }
EK_EXPORT void kmp_free_(void** p) { free(*p); }

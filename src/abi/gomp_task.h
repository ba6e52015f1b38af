// What gcc's entry points for tasks and for taskloop share.
#pragma once
#include <cstring>

#include "abi/abi.h"
#include "runtime/extra.h"
#include "runtime/task.h"

namespace einkorn::abi {

using record::Construct;

// omp/gomp-constants.h of gcc 12.
enum GompTaskFlags : unsigned {
  kUntied = 1 << 0, kFinal = 1 << 1, kMergeable = 1 << 2, kDepend = 1 << 3, kPriority = 1 << 4, kUp = 1 << 8,
  kGrainsize = 1 << 9, kIf = 1 << 10, kNogroup = 1 << 11, kReduction = 1 << 12, kDetach = 1 << 13, kStrict = 1 << 14,
};

using Fn = void (*)(void*);
using CopyFn = void (*)(void*, void*);

enum When { deferred, undeferred, inlined };

inline uint16_t site_flags(unsigned flags, When when) {
  using namespace einkorn::record;
  return uint16_t((when != deferred ? kSiteUndeferred : 0) | (when == inlined ? kSiteInlined : 0) | (flags & kFinal ? kSiteFinal : 0) |
                  (flags & kUntied ? kSiteUntied : 0) | (flags & kMergeable ? kSiteMergeable : 0) |
                  (flags & kDepend ? kSiteHasDepend : 0) | (flags & kDetach ? kSiteDetach : 0));
}

__attribute__((noinline)) inline uint32_t site_of(Worker* w, Construct c, unsigned flags, When when, Fn fn, const void* ra) {
  if (EK_LIKELY(w->stream == nullptr)) return 0;
  uint16_t f = site_flags(flags, when);
  if (w->current->flags & kTaskFinal) f |= einkorn::record::kSiteIncluded;
  return w->stream->site(c, f, reinterpret_cast<const void*>(fn), ra);
}

inline uint16_t task_flags(unsigned flags) {
  return uint16_t((flags & kUntied ? kTaskUntied : 0) | (flags & kFinal ? kTaskFinal : 0));
}

inline char* align_up(char* p, size_t align) { return reinterpret_cast<char*>((uintptr_t(p) + align - 1) & ~uintptr_t(align - 1)); }

// Runs a task now; defined in gomp_task.cpp.
void at_once(Worker* w, Fn fn, void* data, CopyFn copy, size_t size, size_t align, unsigned flags, uint32_t site, Caller caller,
             void* detach = nullptr, const Range* range = nullptr);

template <class Word>
inline void copy_ends(char* to, const char* from, size_t size) {
  Word first, last;
  memcpy(&first, from, sizeof(Word));
  memcpy(&last, from + size - sizeof(Word), sizeof(Word));
  memcpy(to, &first, sizeof(Word));
  memcpy(to + size - sizeof(Word), &last, sizeof(Word));
}

struct Words2 { uint64_t w[2]; };

inline void copy_short(char* to, const char* from, size_t size) {
  if (EK_LIKELY(size >= 16)) copy_ends<Words2>(to, from, size);
  else if (size >= 8) copy_ends<uint64_t>(to, from, size);
  else if (size >= 4) copy_ends<uint32_t>(to, from, size);
  else
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
}

// A task to be queued, and where its own copy of the data goes.
inline Task* new_task(Worker* w, Fn fn, size_t size, size_t align, unsigned flags, char** where) {
  Task* t = new_block(w, sizeof(GompBody) + size + (align > 16 ? align : 0));
  init_task(w, t, task_flags(flags));
  auto* body = static_cast<GompBody*>(t->body());
  char* arg = reinterpret_cast<char*>(body + 1);
  if (EK_UNLIKELY(align > 16)) arg = align_up(arg, align);
  body->fn = fn;
  body->data = arg;
  *where = arg;
  return t;
}

inline void copy_data(Task* t, char* arg, void* data, CopyFn copy, size_t size) {
  if (EK_UNLIKELY(copy != nullptr)) {
    // The copy constructors are user code of the creating task, which is current; a task may be created in them.
    copy(arg, data);
    t->flags |= kTaskCopied;
  } else if (EK_LIKELY(size <= 32)) {
    // Mostly a few words. Both the first and the last of them, which may overlap, need no loop and no call.
    copy_short(arg, static_cast<const char*>(data), size);
  } else {
    memcpy(arg, data, size);
  }
}

inline void set_priority(Worker* w, Task* t, int priority) {
  if (priority > g_config.max_task_priority) priority = g_config.max_task_priority;
  if (priority <= 0) return;
  need_extra(w, t)->priority = priority;
  t->flags |= kTaskPriority;
}

}  // namespace einkorn::abi

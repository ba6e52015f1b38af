// gcc's tasks, as create.h asks for them: a function, and data that the runtime copies, with the program's own copy
// function where there is one.
#pragma once
#include <cstring>

#include "runtime/task/create.h"

namespace einkorn::runtime {

template <class Word>
inline void copy_ends(char* to, const char* from, size_t size) {
  Word first, last;
  memcpy(&first, from, sizeof(Word));
  memcpy(&last, from + size - sizeof(Word), sizeof(Word));
  memcpy(to, &first, sizeof(Word));
  memcpy(to + size - sizeof(Word), &last, sizeof(Word));
}

struct Words2 {
  uint64_t w[2];
};

inline void copy_short(char* to, const char* from, size_t size) {
  if (EK_LIKELY(size >= 16)) copy_ends<Words2>(to, from, size);
  else if (size >= 8) copy_ends<uint64_t>(to, from, size);
  else if (size >= 4) copy_ends<uint32_t>(to, from, size);
  else
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
}

// Mostly a few words. Both the first and the last of them, which may overlap, need no loop and no call.
inline void copy_bytes(char* to, const void* from, size_t size) {
  if (EK_LIKELY(size <= 32)) copy_short(to, static_cast<const char*>(from), size);
  else memcpy(to, from, size);
}

inline char* align_up(char* p, size_t align) {
  return reinterpret_cast<char*>((uintptr_t(p) + align - 1) & ~uintptr_t(align - 1));
}

struct Gomp {
  using Fn = void (*)(void*);
  using CopyFn = void (*)(void*, void*);
  // omp/gomp-constants.h of gcc 12.
  enum Flags : unsigned {
    kUntied = 1 << 0,
    kFinal = 1 << 1,
    kMergeable = 1 << 2,
    kDepend = 1 << 3,
    kPriority = 1 << 4,
    kUp = 1 << 8,
    kGrainsize = 1 << 9,
    kIf = 1 << 10,
    kNogroup = 1 << 11,
    kReduction = 1 << 12,
    kDetach = 1 << 13,
    kStrict = 1 << 14,
    // Ours, for a target construct: fn is a function of this library, and data begins with the address of the
    // program's.
    kTarget = 1 << 30,
  };

  Fn fn;
  void* data;
  unsigned flags;
  CopyFn copy = nullptr;
  size_t size = 0, align = 1;
  int priority = 0;
  void* detach = nullptr;  // the program's variable for the event's handle

  uint16_t task_flags() const {
    return uint16_t((flags & kUntied ? kTaskUntied : 0) | (flags & kFinal ? kTaskFinal : 0));
  }

  uint32_t site(Worker* w, record::Construct c, uint16_t when, Caller caller) const {
    using namespace einkorn::record;
    auto f = uint16_t(when | (flags & kFinal ? kSiteFinal : 0) | (flags & kUntied ? kSiteUntied : 0) |
                      (flags & kMergeable ? kSiteMergeable : 0) | (flags & kDepend ? kSiteHasDepend : 0) |
                      (flags & kDetach ? kSiteDetach : 0));
    if (w->current->flags & kTaskFinal) f |= kSiteIncluded;
    return w->stream->site(c, f, function(), caller);
  }
  const void* function() const {
    return EK_UNLIKELY(flags & kTarget) ? *static_cast<const void* const*>(data) : reinterpret_cast<const void*>(fn);
  }
  int told_flags() const { return flags & kMergeable ? ompt_task_mergeable : 0; }

  Task* make(Worker* w) const {
    Task* t = new_block(w, sizeof(GompBody) + size + (align > 16 ? align : 0));
    init_task(w, t, task_flags());
    set_body(t);
    if (flags & kPriority) set_priority(w, t, priority);
    if (EK_UNLIKELY(flags & kDetach)) give_event(w, t);
    return t;
  }
  void fill(Task* t) const {
    auto* to = static_cast<char*>(static_cast<GompBody*>(t->body())->data);
    if (EK_LIKELY(copy == nullptr)) return copy_bytes(to, data, size);
    // The copy constructors are user code of the creating task, which is current; a task may be created in them.
    copy(to, data);
    if (EK_UNLIKELY(g_config.cancellation)) t->flags |= kTaskCopied;
  }
  Task* make_short(Worker* w, uint16_t more) const {
    Task* t = new_block(w, sizeof(GompBody) + size);
    init_short(w, t, uint16_t(task_flags() | more));
    char* to = set_body(t);
    if (copy) copy(to, data);
    else copy_bytes(to, data, size);
    return t;
  }

  // Cancelled tasks are discarded when they would start, but for those whose copy constructors have run, and with
  // clauses not made either.
  bool is_dropped(const Worker* w, bool deferred) const {
    if (EK_LIKELY(!g_config.cancellation)) return false;
    return (!deferred || copy || (flags & (kDepend | kDetach | kPriority))) && tasks_cancelled(w);
  }

  // The block is one of the smallest, whose class is known.
  __attribute__((always_inline)) bool runs_short(const Worker* w) const { return !w->stream && !g_config.cancellation; }
  // inherits: might the current task hand flags down? merged: does it merge what it creates (merged.h)? notes: of one
  // that does
  template <bool inherits = true, bool merged = true>
  __attribute__((always_inline)) void run_short(Worker* w, uint8_t notes = 0) const {
    if (EK_UNLIKELY(stack_is_low(w)) || EK_UNLIKELY(w->hints != nullptr))
      return run_now(w, Gomp{fn, data, flags, copy, size, align}, false, 0, nullptr);
    if (copy) return run_short_copied<inherits, merged>(w, *this, notes);
    Task* t = new_block(w, sizeof(GompBody));
    static_cast<GompBody*>(t->body())->fn = fn;
    constexpr uint8_t kClass = size_class_of(sizeof(Task) + sizeof(GompBody) + sizeof(void*));
    uint16_t own = task_flags();
    if (inherits) own = inherited_short(w, own);
    if (merged) own = merging(t, own, notes);
    run_undeferred_short(w, t, own, kClass, [&] { fn(data); });
    if (inherits) run_queued_outside_regions(w);  // there the team is of one, and its task hands kTaskSlowPath down
  }

  // Created by a task that merges: may it be called, if it runs at once? What makes its children final is a task.
  __attribute__((always_inline)) bool is_mergeable(const Worker* w) const {
    if (flags & (kDepend | kPriority | kDetach)) return false;
    return EK_LIKELY(!(flags & kFinal)) || (w->current->flags & kTaskFinal);
  }
  __attribute__((always_inline)) void run_merged(Worker* w) const {
    if (copy) return run_merged_copied(w, fn, data, copy, size, align);
    ++w->calls;
    fn(data);
    after_call(t_worker);  // the same, but it need not be kept meanwhile
  }

  // The data stays where it is, unless it has to be copied: then that is on the stack.
  struct Room {
    Task task;
    GompBody body;
  };
  Task* make_at_once(Worker* w, Room& room, uint16_t& with) const {
    with = task_flags() | inherited(w);
    const bool stays = children_stay_within(with) && !w->tool && !(flags & kDetach);
    if (stays) with |= kTaskOnStack;
    Task* t = stays ? &room.task : new_block(w, sizeof(GompBody));
    *static_cast<GompBody*>(t->body()) = {fn, nullptr};  // only the recorder asks for it
    return t;
  }
  bool is_called(const Worker*) const { return true; }  // else it is_dropped()
  void call(Worker* w, Task* t, bool) const {
    if (EK_UNLIKELY(flags & kDetach)) give_event(w, t);
    if (EK_LIKELY(!copy)) fn(data);
    else call_copied(fn, data, copy, size, align);
  }

  bool is_captured(Worker* w, const Clauses& c, Caller caller) const {
    const char* why =
        copy         ? "a task with firstprivate structs, arrays or C++ objects, which only gcc's own function can copy"
        : align > 16 ? "a task of which data is aligned to more than 16 bytes"
        : size > UINT32_MAX ? kTooLarge
                            : nullptr;
    return capture(w, as_captured(caller), why, c);
  }
  // The priority is none of a graph's.
  CapturedBody as_captured(Caller caller) const {
    return {{reinterpret_cast<const void*>(fn), nullptr, caller, uint32_t(size), task_flags(),
             uint16_t(flags & ~kPriority)},
            data};
  }
  bool may_be_inlined() const { return true; }
  void run_inlined(Worker* w) const { inlined(w, fn, data, flags); }
  __attribute__((always_inline)) Task* take_dependent(Worker* w, uint32_t count) const {
    return new_block(w, bytes_of_dependent(count, size));
  }
  __attribute__((always_inline)) TaskExtra* begin_dependent(Worker* w, Task* t, uint32_t count) const {
    char* to;
    TaskExtra* x = runtime::begin_dependent(w, t, flags & kUntied ? kTaskUntied : 0, count, &to);
    *static_cast<GompBody*>(t->body()) = {fn, to};
    copy_bytes(to, data, size);
    return x;
  }

 private:
  // The copy is on the stack.
  __attribute__((noinline)) static void call_copied(Fn fn, void* data, CopyFn copy, size_t size, size_t align) {
    char* buffer = align_up(static_cast<char*>(__builtin_alloca(size + align)), align);
    copy(buffer, data);
    fn(buffer);
  }
  // The copy constructors are user code of the creating task: if that has become one by them, what it creates is no
  // call.
  __attribute__((noinline)) static void run_merged_copied(Worker* w, Fn fn, void* data, CopyFn copy, size_t size,
                                                          size_t align) {
    char* buffer = align_up(static_cast<char*>(__builtin_alloca(size + align)), align);
    copy(buffer, data);
    const Gomp copied{fn, buffer, 0};
    if (EK_LIKELY(merges(w->current))) copied.run_merged(w);
    else copied.run_short(w);
  }
  template <bool inherits, bool merged>
  __attribute__((noinline)) static void run_short_copied(Worker* w, Gomp from, uint8_t notes) {
    char* buffer = align_up(static_cast<char*>(__builtin_alloca(from.size + from.align)), from.align);
    from.copy(buffer, from.data);
    Gomp{from.fn, buffer, from.flags}.run_short<inherits, merged>(w, notes);
  }
  __attribute__((noinline)) static void inlined(Worker* w, Fn fn, void* data, unsigned flags) {
    InlinedTask timing(w);
    if (merges_inlined()) Gomp{fn, data, flags}.run_short<false, true>(w, notes_of_inlined());
    else Gomp{fn, data, flags}.run_short<false, false>(w);
  }
  // The task's own copy of the data follows the body.
  char* set_body(Task* t) const {
    auto* body = static_cast<GompBody*>(t->body());
    char* to = reinterpret_cast<char*>(body + 1);
    if (EK_UNLIKELY(align > 16)) to = align_up(to, align);
    *body = {fn, to};
    return to;
  }
  // The event's handle goes into the program's variable, and into the task's data, which begins with its copy of it.
  void give_event(Worker* w, Task* t) const {
    make_detachable(w, t);
    *static_cast<void**>(detach) = t;
    if (data) *static_cast<void**>(data) = t;
  }
};

}  // namespace einkorn::runtime

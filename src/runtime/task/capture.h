// Tasks that are taken down instead of queued: what a taskgraph is made of (src/codelet/taskgraph.h).
//
// While a task has kTaskCaptures, all that it creates comes to capture(): function, data and dependences. What cannot
// be taken down, and what waits for such tasks, calls refuse() first: all are created as the ordinary tasks that they
// are, and so is what follows.
#pragma once
#include <cstring>

#include "runtime/task/taken.h"

namespace einkorn::runtime {

struct Clauses;

// The data of a task of clang's into the block that it is to run in, 16 bytes at a time: blocks have room for that.
inline void copy_words(void* to, const void* from, size_t bytes) {
  struct Words {
    uint64_t w[2];
  };
  for (size_t at = 0; at < bytes; at += sizeof(Words))
    memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, sizeof(Words));
}
inline void copy_taken_kmp(KmpTask* to, const char* from, size_t bytes) {
  copy_words(to, from, bytes);
  if (to->shareds) to->shareds = reinterpret_cast<char*>(to) + reinterpret_cast<uintptr_t>(to->shareds);
}

// An open taskgraph construct of a task, whose tasks are taken down until it is closed or refuse() was called.
struct Capture {
  Capture(Task* by, const void* where, bool no_group) : creator(by), caller(where), nogroup(no_group) {}
  Task* creator;
  Capture* outer = nullptr;  // of the worker
  const void* caller;
  bool nogroup;
  bool open = false;              // tasks are taken down
  Taskgroup* group = nullptr;     // of tasks that are not
  const char* refused = nullptr;  // why
  uint16_t had = 0;               // of its flags, before
  uint32_t most = UINT32_MAX;     // tasks that are taken down
  Taken taken;
};

// The current task's children are taken down from here on; or are not, and are in a group of the construct's own.
void begin_capture(Worker* w, Capture& c);
void begin_group(Worker* w, Capture& c);
// The latter's end.
void end_group(Worker* w, Capture& c, Caller caller);
// Children are ordinary ones again.
void end_capture(Worker* w, Capture& c);

struct CapturedBody {
  TakenKind kind;
  const void* data;
};
inline constexpr char kTooLarge[] = "a task with more than 4 GiB of data";
inline bool captures(const Worker* w) { return w->current->flags & kTaskCaptures; }
// A child of the current task, which captures. False: it is not taken down, and nor is any other from here on.
// why_not: nullptr where nothing of the body forbids it.
bool capture(Worker* w, const CapturedBody& body, const char* why_not, const Clauses& clauses);
// The same where nothing forbids it, with its dependences in room_for_list().
inline Dependence* room_for_list(Worker* w, size_t count, size_t bytes) {
  return reinterpret_cast<Dependence*>(w->captures->taken.memory.take(count * sizeof(Dependence) + bytes));
}
bool capture_listed(Worker* w, const CapturedBody& body, const Dependence* list, uint32_t count);
// The same of what an entry point got, with `bytes` of data. In any case `list` is what `depends` has.
template <class Body, class Depends>
bool capture_dependent(Worker* w, const Body& body, const Depends& depends, size_t bytes, Caller caller,
                       Dependence*& list) {
  list = room_for_list(w, depends.count(), bytes);
  depends.read(list);
  return capture_listed(w, body.as_captured(caller), list, uint32_t(depends.count()));
}
void refuse(Worker* w, const char* why);
inline void refuse_if_captures(Worker* w, const char* why) {
  if (EK_UNLIKELY(captures(w))) refuse(w, why);
}

// Each of them as an ordinary task of the current one.
void create_again(Worker* w, const Taken& taken);
// Of the current task's earlier children those have ended that tasks with these dependences would follow.
void wait_for_earlier(Worker* w, const std::vector<Dependence>& list, Caller caller);

}  // namespace einkorn::runtime

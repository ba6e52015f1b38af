// Procedures as the runtime sees them: tasks that may be left where they wait for their children, and are gone on with
// by who ends the last of these. What runs them is src/codelet/procedure.cpp; a program's view is
// include/einkorn/codelet.h.
#pragma once
#include "runtime/task/blocks.h"
#include "runtime/types.h"

namespace einkorn::runtime {

struct Instance;

// ek_proc: static in the program.
struct Procedure {
  const char *name, *file;
  int (*run)(Instance*);  // ek_next
  uint32_t frame_bytes, own_bytes;
  const void* cbbs;
  uint16_t count, flags;
};

// ek_self. Of a task it is the body, and begins as one of clang's: so it runs wherever such tasks do, and where these
// hand over their next part (kTaskNextPart) it gives way.
struct alignas(16) Instance {
  void* frame;
  int32_t (*call)(int32_t gtid, KmpTask*);
  uint32_t at;  // where part_id is, of which cancellation asks whether the task has begun
  uint32_t id;
  void* own;
  const Procedure* procedure;
  uint32_t n;
  // unseen: of a task of which nobody is told, nor of those that it invokes (ek_may_do()).
  enum Kind : uint32_t { of_task, of_region, unseen } kind;
};
// ek_cbb.
struct CodeletOfProcedure {
  uint32_t line;
  uint8_t kind, arcs;
};
// Of the source, where an instance goes on at `at`; 0: not known.
inline uint32_t line_of(const Procedure* p, uint32_t at) {
  const auto* cbbs = static_cast<const CodeletOfProcedure*>(p->cbbs);
  return cbbs && at < p->count ? cbbs[at].line : 0;
}
static_assert(offsetof(Instance, call) == offsetof(KmpTask, routine) &&
              offsetof(Instance, at) == offsetof(KmpTask, part_id) && sizeof(Instance) >= sizeof(KmpTask));

// By numbers: of no instance it is no task.
inline Task* task_of(Instance* i) { return reinterpret_cast<Task*>(uintptr_t(i) - sizeof(Task)); }
inline Instance* instance_of(Task* t) { return static_cast<Instance*>(t->body()); }

// Frames up to this lie in blocks of one class, which is that of Worker::spare_instances.
inline constexpr uint32_t kShortFrame = 64;
inline constexpr uint8_t kSpareClass = size_class_of(sizeof(Task) + sizeof(Instance) + kShortFrame + sizeof(void*));
static_assert(kBlockSizes[kSpareClass] >= sizeof(Task) + sizeof(Instance) + kShortFrame + sizeof(void*));

// Instance::call of all that are recorded, once there is one.
using InstanceCall = int32_t (*)(int32_t gtid, KmpTask*);
extern std::atomic<InstanceCall> g_instance_call;
// What the task of a codelet by hand calls, with the codelet, which begins with its own function: for recordings, set
// when such a task is recorded.
extern std::atomic<void (*)(void*)> g_firing;
inline const void* function_of_body(const GompBody& body) {
  if (EK_UNLIKELY(body.fn == g_firing.load(std::memory_order_relaxed))) return *static_cast<const void**>(body.data);
  return reinterpret_cast<const void*>(body.fn);
}
// The program's function that a task of parts runs. Recording only.
inline const void* function_of_parts(Task* t) {
  const auto* kt = static_cast<const KmpTask*>(t->body());
  if (EK_UNLIKELY(kt->routine == g_instance_call.load(std::memory_order_relaxed)))
    return reinterpret_cast<const void*>(instance_of(t)->procedure->run);
  return reinterpret_cast<const void*>(kt->routine);
}

// By what the task's body calls, which then returns: it waits for its children, and holds no stack.
inline void give_way(Task* t) { t->flags |= kTaskGivesWay; }
inline bool gives_way(const Task* t) { return t->flags & kTaskNextPart; }
// Then, when the body has returned. By the thread that ran it, which may not touch it any more.
void suspend(Worker* w, Task* t);
// The last of its children has ended, in that team, on a thread of any team or none.
void go_on(Worker* w, Task* t, Team* team);

// A free region: its team's threads run instances that may not wait for each other. Either one thread all of them, as
// if it were each of the team's; or any thread any (src/codelet/moving.h).
struct FreeInstances {
  const Procedure* procedure;
  int n;
  const Instance* of_one_thread;  // all; nullptr: there are more threads
};
// The thread is about to wait for another instance of a free region: that would be for ever. Ends the program with a
// message. In a barrier, that is; and where there is one thread alone: in a loop, for its turn.
void check_free(const Worker* w, const char* where);
inline void check_barrier(const Worker* w) {
  if (EK_UNLIKELY(w->team->free != nullptr)) check_free(w, "a barrier");
}
inline void check_alone(const Worker* w, const char* where) {
  if (EK_UNLIKELY(w->team->free != nullptr) && w->team->free->of_one_thread) check_free(w, where);
}

// Runs what of the current task's children lies in the thread's own queue, and looks nowhere else.
void run_children_at_hand(Worker* w);
// Runs a task that `me`, the current one, has popped from the own queue; me is without kTaskSlowPath.
void run_popped(Worker* w, Task* me, Task* t);

}  // namespace einkorn::runtime

// Tasks that are taken down instead of queued: what a taskgraph is made of (src/codelet/taskgraph.h).
//
// While a task has kTaskCaptures, all that it creates comes to capture(): function, data, dependences, and whom each
// follows, by the rules of DepTable, in a table of which no node ever ends. What cannot be taken down, and what waits
// for such tasks, calls refuse() first: all are created as the ordinary tasks that they are, and so is what follows.
#pragma once
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/task/dep_table.h"

namespace einkorn::runtime {

struct Clauses;

// A task as it was created. Its data is in Taken::data, at a multiple of 16.
struct TakenTask {
  const void* entry;    // gcc's outlined function, clang's routine; nullptr: no task, only a place in the order
  const char* psource;  // clang's, as Kmp::psource
  const void* caller;   // where in the program it was created
  uint32_t at, bytes;   // data: clang's is its KmpTask, of which `shareds` counts from its beginning
  uint32_t first_item, items;
  uint16_t flags;       // TaskFlags
  uint16_t gomp_flags;  // gcc's
};

struct Taken {
  struct Arc {
    uint32_t from, to;  // tasks
  };
  struct Free {
    void operator()(char* p) const { free(p); }
  };
  std::vector<TakenTask> tasks;
  std::vector<Dependence> items;
  std::vector<Arc> arcs;
  std::unique_ptr<char, Free> data;
  size_t bytes = 0, room = 0;  // of it
};

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

// Of dep_table.cpp, for a node of a Capture's table: whom it follows, and that told as arcs.
void add_to_captured(Worker* w, DepTable& table, Adding& adding, const Dependence* list, uint32_t count);
void take_predecessors(Adding& adding, std::vector<Taken::Arc>& arcs);

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
  Taken taken;
  DepTable table;
  std::vector<TaskExtra*> nodes;  // of the table

  TaskExtra* new_node(Worker* w, uint32_t number, uint32_t items);
  void add_joint(Adding& adding);
  // The table's nodes are not needed any more.
  void forget_nodes(Worker* w);
};

// The current task's children are taken down from here on; or are not, and are in a group of the construct's own.
void begin_capture(Worker* w, Capture& c);
void begin_group(Worker* w, Capture& c);
// The latter's end.
void end_group(Worker* w, Capture& c, Caller caller);
// Children are ordinary ones again.
void end_capture(Worker* w, Capture& c);

struct CapturedBody {
  const void* entry;
  const void* data;
  size_t bytes;
  uint16_t flags, gomp_flags;
  const char* psource;
  const char* why_not;  // nullptr: it can be taken down
};
// A child of the current task, which captures. False: it is not taken down, and nor is any other from here on.
bool capture(Worker* w, const CapturedBody& body, const Clauses& clauses, Caller caller);
void refuse(Worker* w, const char* why);
inline void refuse_if_captures(Worker* w, const char* why) {
  if (EK_UNLIKELY(w->current->flags & kTaskCaptures)) refuse(w, why);
}

// Each of them as an ordinary task of the current one.
void create_again(Worker* w, const Taken& taken);
// Of the current task's earlier children those have ended that tasks with these dependences would follow.
void wait_for_earlier(Worker* w, const std::vector<Dependence>& list, Caller caller);

}  // namespace einkorn::runtime

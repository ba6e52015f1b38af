#include "runtime/task/capture.h"

#include <cstdlib>
#include <cstring>

#include "runtime/task/gomp_body.h"
#include "runtime/task/kmp_body.h"

namespace einkorn::runtime {

namespace {

constexpr size_t kChunk = 64 << 10;

size_t up_to(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

char* room_for_data(Taken& taken, size_t bytes) {
  bytes = up_to(bytes, 16);
  if (taken.bytes + bytes > taken.room) {
    taken.room = 2 * taken.room + up_to(bytes, kChunk);
    char* more = static_cast<char*>(realloc(taken.data.release(), taken.room));
    if (!more) fatal("out of memory: %zu bytes for the data of a taskgraph's tasks", taken.room);
    taken.data.reset(more);
  }
  return taken.data.get() + std::exchange(taken.bytes, taken.bytes + bytes);
}

}  // namespace

TaskExtra* Capture::new_node(Worker* w, uint32_t number, uint32_t items) {
  TaskExtra* x = new_extra_block(w, items * (sizeof(DepItem) + sizeof(DepLink)));
  init_extra(x, nullptr);
  x->items = items;
  x->event.store(number, std::memory_order_relaxed);
  x->node.name();  // once more than the table does: so it never becomes the table's to free
  nodes.push_back(x);
  return x;
}

void Capture::add_joint(Adding& adding) {
  adding.node->event.store(uint32_t(taken.tasks.size()), std::memory_order_relaxed);
  taken.tasks.push_back({});
  take_predecessors(adding, taken.arcs);
}

void Capture::forget_nodes(Worker* w) {
  table.clear(w);
  for (TaskExtra* x : nodes) free_extra_block(w, x);
  nodes.clear();
}

void begin_group(Worker* w, Capture& c) {
  if (c.nogroup) return;
  c.group = new_group(w);
  taskgroup_begin(w, c.group, c.caller, 0);
}

void end_group(Worker* w, Capture& c, Caller caller) {
  if (!c.group) return;
  taskgroup_end(w, caller, 0);
  free_group(w, c.group);
}

void begin_capture(Worker* w, Capture& c) {
  Task* t = w->current;
  c.outer = std::exchange(w->captures, &c);
  c.open = true;
  c.table.capture = &c;
  c.had = t->flags & kTaskLongWay;
  // The long way is where kTaskCaptures is asked for.
  t->flags |= kTaskCaptures | kTaskLongWay;
  // A child that has not ended: so a taskwait waits, and comes to where it is asked for.
  ++t->created;
}

void end_capture(Worker* w, Capture& c) {
  Task* t = w->current;
  EK_ASSERT(w->captures == &c && c.creator == t);
  w->captures = c.outer;
  c.open = false;
  t->flags = uint16_t((t->flags & ~(kTaskCaptures | kTaskLongWay)) | c.had);
  ++t->done;
  c.forget_nodes(w);
}

bool capture(Worker* w, const CapturedBody& body, const Clauses& clauses, Caller caller) {
  Capture& c = *w->captures;
  const char* why = body.why_not;
  if (!clauses.if_clause) why = "a task with an if clause that is false";
  if (clauses.detach) why = "a task with the detach clause";
  if (c.taken.bytes + body.bytes > UINT32_MAX - kChunk) why = "more than 4 GiB of data";
  if (EK_UNLIKELY(why != nullptr)) return refuse(w, why), false;
  if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, w->current);
  Taken& taken = c.taken;
  const auto number = uint32_t(taken.tasks.size()), count = uint32_t(clauses.count);
  char* to = room_for_data(taken, body.bytes);
  taken.tasks.push_back({body.entry, body.psource, caller, uint32_t(to - taken.data.get()), uint32_t(body.bytes),
                         uint32_t(taken.items.size()), count, body.flags, body.gomp_flags});
  copy_bytes(to, body.data, body.bytes);
  if (body.flags & kTaskKmp) {
    auto* kt = reinterpret_cast<KmpTask*>(to);
    if (kt->shareds)
      kt->shareds = reinterpret_cast<void*>(static_cast<char*>(kt->shareds) - static_cast<const char*>(body.data));
  }
  if (count == 0) return true;
  taken.items.insert(taken.items.end(), clauses.list, clauses.list + count);
  Adding adding{c.new_node(w, number, count)};
  add_to_captured(w, c.table, adding, clauses.list, count);
  take_predecessors(adding, taken.arcs);
  return true;
}

void refuse(Worker* w, const char* why) {
  Capture& c = *w->captures;
  end_capture(w, c);
  c.refused = why;
  begin_group(w, c);
  create_again(w, c.taken);
}

void create_again(Worker* w, const Taken& taken) {
  for (const TakenTask& t : taken.tasks) {
    if (t.entry == nullptr) continue;
    Clauses clauses;
    clauses.list = taken.items.data() + t.first_item;
    clauses.count = int(t.items);
    const char* data = taken.data.get() + t.at;
    const Caller caller{&t.caller};
    if (t.flags & kTaskKmp) {
      Task* block = new_block(w, t.bytes);
      block->set_body_bytes(t.bytes);
      block->flags = t.flags;
      copy_taken_kmp(static_cast<KmpTask*>(block->body()), data, t.bytes);
      create(w, Kmp{block, t.psource, t.items != 0}, clauses, caller);
    } else {
      // A copy: where it runs at once it runs on this one.
      char* copy = static_cast<char*>(new_block(w, t.bytes)->body());
      copy_bytes(copy, data, t.bytes);
      create(w, Gomp{reinterpret_cast<Gomp::Fn>(const_cast<void*>(t.entry)), copy, t.gomp_flags, nullptr, t.bytes},
             clauses, caller);
      free_block(w, reinterpret_cast<Task*>(copy) - 1);
    }
  }
}

void wait_for_earlier(Worker* w, const std::vector<Dependence>& list, Caller caller) {
  for (const Dependence& d : list)
    if (!follows_nobody(w, d.address, DepMode(d.mode)))
      return wait_for_dependences(w, list.data(), int(list.size()), caller);
}

}  // namespace einkorn::runtime

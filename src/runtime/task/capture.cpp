#include "runtime/task/capture.h"

#include "runtime/task/gomp_body.h"
#include "runtime/task/kmp_body.h"

namespace einkorn::runtime {

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
  c.had = t->flags & kTaskSlowPath;
  // The slow path is where kTaskCaptures is asked for.
  t->flags |= kTaskCaptures | kTaskSlowPath;
  // A child that has not ended: so a taskwait waits, and comes to where it is asked for.
  ++t->created;
}

void end_capture(Worker* w, Capture& c) {
  Task* t = w->current;
  EK_ASSERT(w->captures == &c && c.creator == t);
  w->captures = c.outer;
  c.open = false;
  t->flags = uint16_t((t->flags & ~(kTaskCaptures | kTaskSlowPath)) | c.had);
  ++t->done;
}

bool capture(Worker* w, const CapturedBody& body, const char* why_not, const Clauses& clauses) {
  if (!clauses.if_clause) why_not = "a task with an if clause that is false";
  if (clauses.detach) why_not = "a task with the detach clause";
  if (EK_UNLIKELY(why_not != nullptr)) return refuse(w, why_not), false;
  Dependence* list = room_for_list(w, size_t(clauses.count), body.kind.bytes);
  for (int i = 0; i < clauses.count; ++i) list[i] = clauses.list[i];
  return capture_listed(w, body, list, uint32_t(clauses.count));
}

bool capture_listed(Worker* w, const CapturedBody& body, const Dependence* list, uint32_t count) {
  Capture& c = *w->captures;
  const uint32_t kind = c.taken.kind_of(body.kind);
  if (EK_UNLIKELY(kind == Taken::kMostKinds)) return refuse(w, "more than 65534 kinds of tasks"), false;
  if (EK_UNLIKELY(c.taken.tasks.size() >= c.most)) return refuse(w, "too many tasks"), false;
  if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, w->current);
  c.taken.add(kind, list, count);
  auto* to = reinterpret_cast<char*>(const_cast<Dependence*>(list + count));
  if (body.kind.flags & kTaskKmp) {
    copy_words(to, body.data, body.kind.bytes);
    auto* kt = reinterpret_cast<KmpTask*>(to);
    if (kt->shareds)
      kt->shareds = reinterpret_cast<void*>(static_cast<char*>(kt->shareds) - static_cast<const char*>(body.data));
  } else {
    copy_bytes(to, static_cast<const char*>(body.data), body.kind.bytes);
  }
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
  taken.tasks.each([&](const TakenTask& t) {
    const TakenKind& k = taken.kinds[t.kind];
    if (k.entry == nullptr) return;
    Clauses clauses;
    clauses.list = t.list;
    clauses.count = int(t.items);
    const Caller caller{&k.caller};
    if (k.flags & kTaskKmp) {
      Task* block = new_block(w, k.bytes);
      block->set_body_bytes(k.bytes);
      block->flags = k.flags;
      copy_taken_kmp(static_cast<KmpTask*>(block->body()), t.data(), k.bytes);
      create(w, Kmp{block, k.psource, t.items != 0}, clauses, caller);
    } else {
      // A copy: where it runs at once it runs on this one.
      char* copy = static_cast<char*>(new_block(w, k.bytes)->body());
      copy_bytes(copy, t.data(), k.bytes);
      create(w, Gomp{reinterpret_cast<Gomp::Fn>(const_cast<void*>(k.entry)), copy, k.gomp_flags, nullptr, k.bytes},
             clauses, caller);
      free_block(w, reinterpret_cast<Task*>(copy) - 1);
    }
  });
}

void wait_for_earlier(Worker* w, const std::vector<Dependence>& list, Caller caller) {
  for (const Dependence& d : list)
    if (!follows_nobody(w, d.address, DepMode(d.mode)))
      return wait_for_dependences(w, list.data(), int(list.size()), caller);
}

}  // namespace einkorn::runtime

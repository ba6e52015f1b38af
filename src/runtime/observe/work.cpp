#include "runtime/observe/work.h"

namespace einkorn::runtime::observe {

namespace {

record::Schedule recorded(const WorkShare* s) {
  switch (s->kind) {
    case LoopKind::static_: return s->chunk ? record::Schedule::static_chunked : record::Schedule::static_;
    case LoopKind::dynamic: return record::Schedule::dynamic;
    case LoopKind::guided: return record::Schedule::guided;
    case LoopKind::automatic: return record::Schedule::auto_;
    default: return record::Schedule::guided;  // chunks that shrink
  }
}

void tell(Worker* w, const WorkShare* s, ompt_scope_endpoint_t endpoint) {
  if (!w->tool) return;
  tool::work_event(w, s->sections ? ompt_work_sections : tool::work_kind(s->kind), endpoint, s->iterations, s->caller);
}

}  // namespace

void loop_begins(Worker* w, const WorkShare* s) {
  w->stream->loop_begin(ticks(), s->site, s->lower, s->iterations, s->increment,
                        uint32_t(s->chunk < 0xffffffffu ? s->chunk : 0xffffffffu), recorded(s), s->monotonic_only);
  tell(w, s, ompt_scope_begin);
}

void loop_ends(Worker* w, const WorkShare* s) {
  w->stream->loop_end(ticks());
  tell(w, s, ompt_scope_end);
}

void chunk_begins(Worker* w, const WorkShare* s, uint64_t before_ended) {
  const WorkShareView& v = w->view;
  if (before_ended) w->stream->chunk_next(before_ended, v.first, v.count);
  else w->stream->chunk_begin(ticks(), v.first, v.count);
  if (!w->tool) return;
  if (s->sections) tool::dispatch_section(w, s->caller);
  else tool::dispatch(w, ompt_dispatch_ws_loop_chunk, v.first, v.count);
}

void static_loop_begins(Worker* w, const StaticLoop& loop, uint64_t first, uint64_t count, const void* ra) {
  record::Stream* s = w->stream;
  s->loop_begin(ticks(), loop.site, loop.lower, loop.iterations, loop.increment, uint32_t(loop.chunk), loop.schedule);
  // Of a chunked schedule the bounds of all this thread's chunks are known, their times are not: one record for all.
  if (count > 0) s->chunk_begin(ticks(), first, count);
  w->view.in_chunk = count > 0;
  if (!w->tool) return;
  tool::work_event(w, loop.type, ompt_scope_begin, loop.iterations, ra);
  if (loop.type == ompt_work_sections) {
    for (uint64_t i = 0; i < count; ++i) tool::dispatch_section(w, ra);
  } else if (count > 0) {
    // One event for all chunks, as none of them passes here: the first one's bounds, and for who knows the extension
    // all.
    const uint64_t size = !loop.chunked ? count : loop.chunk < 1 ? 1 : uint64_t(loop.chunk);
    const bool distributed = loop.schedule == record::Schedule::distribute;
    tool::dispatch(w, distributed ? ompt_dispatch_distribute_chunk : ompt_dispatch_ws_loop_chunk, first,
                   size < count ? size : count);
    if (loop.chunked) tool::dispatch_strided(w, {first, size, size * loop.threads, (count + size - 1) / size, count});
  }
}

void static_loop_ends(Worker* w, ompt_work_t type, const void* ra) {
  record::Stream* s = w->stream;
  const uint64_t now = ticks();
  if (w->view.in_chunk) s->chunk_end(now);
  w->view.in_chunk = false;
  s->loop_end(now);
  if (w->tool) tool::work_event(w, type, ompt_scope_end, 0, ra);
}

}  // namespace einkorn::runtime::observe

#include "record/ring.h"
#include <algorithm>
#include <cstring>
#include "record/buffers.h"
#include "record/packed.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

namespace {

// What a record that closes a context closes; cancelled loops and chunks are left without an end.
bool closes(Kind end, Kind begin) {
  switch (end) {
    case Kind::region_end: return begin == Kind::region_begin;
    case Kind::implicit_end: return begin == Kind::implicit_begin;
    case Kind::task_end:
    case Kind::task_suspend:
      return begin == Kind::task_start || begin == Kind::task_start_other || begin == Kind::task_next;
    case Kind::codelet_end: return begin == Kind::codelet_begin;
    case Kind::wait_end:
    case Kind::wait_done: return begin == Kind::wait_begin || begin == Kind::graph_run;
    case Kind::loop_end: return begin == Kind::loop_begin;
    case Kind::chunk_end: return begin == Kind::chunk_begin || begin == Kind::chunk_begin_long;
    case Kind::yield_end: return begin == Kind::yield;
    case Kind::taskloop_end: return begin == Kind::taskloop_begin;
    default: return false;
  }
}

}  // namespace

bool Ring::create(Output& out, uint64_t last_ns, uint64_t memory_bytes) {
  out_ = &out;
  last_ns_ = last_ns;
  tracks_ = static_cast<Track**>(map_memory(kMaxThreads * sizeof(Track*)));
  words_ = static_cast<uint64_t*>(map_memory(
      std::max(expanded_bound(kBufferBytes + sizeof(Started)) * sizeof(uint64_t), 16 * kDeepest * sizeof(uint64_t))));
  if (!tracks_ || !words_) return false;
  memory_bytes_ = std::max(memory_bytes, 4 * kChunkBytes);
  return true;
}

Ring::Track* Ring::track(uint32_t thread) {
  if (!tracks_[thread]) tracks_[thread] = static_cast<Track*>(map_memory(sizeof(Track)));
  return tracks_[thread];
}

Ring::Chunk* Ring::new_chunk(uint64_t now_ns) {
  Chunk* c = free_;
  if (c) {
    free_ = c->next;
  } else if (used_ + kChunkBytes > memory_bytes_ || !(c = static_cast<Chunk*>(map_memory(kChunkBytes)))) {
    if (!first_) return nullptr;
    drop_first();  // less is kept than was asked for
    return new_chunk(now_ns);
  } else {
    used_ += kChunkBytes;
  }
  *c = {nullptr, now_ns, now_ns, 0};
  if (last_) last_->next = c;
  else first_ = c;
  last_ = c;
  return c;
}

void Ring::add(uint32_t thread, uint64_t begin_tick, const Started& before, const void* units, size_t bytes,
               uint64_t first_tick, uint64_t first_serial, uint64_t now_ns) {
  Track* t = track(thread);
  if (!t) return;
  if (!t->begin_tick) t->begin_tick = begin_tick;
  size_t room = sizeof(Chunk) + sizeof(BlockHeader) + padded(sizeof before + bytes);
  Chunk* c = last_;
  if (!c || c->size + room > kChunkBytes || now_ns - c->began_ns > last_ns_ / 8) c = new_chunk(now_ns);
  if (!c) return;
  BlockHeader header{};
  header.type = BlockType::events;
  header.thread = thread;
  header.first_tick = first_tick;
  header.first_serial = first_serial;
  c->size += Output::keep_events(header, before, units, bytes, c->bytes() + c->size);
  c->newest_ns = now_ns;
}

void Ring::drop_old(uint64_t now_ns) {
  while (first_ && first_->newest_ns + last_ns_ < now_ns) drop_first();
}

void Ring::drop_first() {
  Chunk* c = first_;
  for (size_t at = 0; at < c->size;) {
    BlockHeader h;
    memcpy(&h, c->bytes() + at, sizeof h);
    const char* stored = c->bytes() + at + sizeof h;
    if (Track* t = track(h.thread)) scan(*t, h, stored);
    at += sizeof h + padded(h.stored_bytes);
    writer_progressed();
  }
  first_ = c->next;
  if (!first_) last_ = nullptr;
  c->next = free_;
  free_ = c;
}

void Ring::close_down_to(Track& t, int depth) {
  t.depth = depth;
  if (depth >= t.in_file) return;
  t.closed += t.in_file - depth;
  t.in_file = depth;
}

void Ring::scan(Track& t, const BlockHeader& h, const void* stored) {
  t.dropped = true;
  t.tick = h.first_tick;
  t.serial = h.first_serial;
  const uint64_t* p = words_;
  for (const uint64_t* end = p + expand_halves(stored, h.stored_bytes, words_); p < end;) {
    Kind k = kind_of(*p);
    int words = 1 + extra_words(k, payload_of(*p));
    t.tick += delta_of(*p);
    switch (k) {
      case Kind::time: t.tick = p[1]; break;
      case Kind::task_create:
      case Kind::task_create_long:
      case Kind::task_create_brief: ++t.serial; break;
      case Kind::task_start:
      case Kind::task_start_other:
      case Kind::task_next:
      case Kind::task_run:
      case Kind::codelet_begin: ++t.tasks; break;
      case Kind::chunk_begin:
      case Kind::chunk_begin_long: ++t.chunks; break;
      case Kind::chunk_next:
        ++t.chunks;
        if (t.depth && !t.deeper && closes(Kind::chunk_end, kind_of(t.open[t.depth - 1].words[0])))
          t.open[t.depth - 1] = {t.tick, {pack(Kind::chunk_begin, 0, payload_of(*p))}, 1};
        break;
      case Kind::loss: {
        t.serial += p[2];
        int closed = int(std::min<uint64_t>(p[5], uint64_t(t.depth + t.deeper))), deep = std::min(closed, t.deeper);
        t.deeper -= deep;
        close_down_to(t, t.depth - (closed - deep));
        break;
      }
      case Kind::task_suspend: --t.tasks; break;
      default: break;
    }
    if (nesting(k) > 0) {
      if (t.depth == kDeepest) {
        ++t.deeper;
      } else {
        Opening& o = t.open[t.depth++];
        o.tick = t.tick;
        o.count = words;
        std::copy(p, p + words, o.words);
        o.words[0] = pack(k == Kind::task_next ? Kind::task_start : k, 0, payload_of(*p));
      }
    } else if (nesting(k) < 0) {
      if (t.deeper) {
        --t.deeper;
      } else {
        int at = t.depth;
        while (at > 0 && !closes(k, kind_of(t.open[at - 1].words[0]))) --at;
        if (at > 0) close_down_to(t, at - 1);
      }
    }
    p += words;
  }
}

// A block that brings a reader to the point where the kept blocks of the thread begin.
void Ring::write_openings(uint32_t thread, Track& t) {
  size_t n = 0;
  uint64_t at = t.begin_tick;
  auto skip_to = [&](uint64_t tick, uint64_t tasks, uint64_t chunks) {  // and close what is no longer open
    tick = std::max(tick, at);
    const uint64_t words[] = {
        pack(Kind::time, 0, 0), tick, pack(Kind::loss, 0, uint32_t(LossReason::dropped)), tick - at, 0, tasks, chunks,
        uint64_t(t.closed)};
    t.closed = 0;
    for (uint64_t w : words) words_[n++] = w;
    at = tick;
  };
  for (int i = t.in_file; i < t.depth; ++i) {
    skip_to(t.open[i].tick, 0, 0);
    for (int k = 0; k < t.open[i].count; ++k) words_[n++] = t.open[i].words[k];
    const Kind opened = kind_of(t.open[i].words[0]);  // reported here: not among the dropped
    t.tasks -= closes(Kind::task_end, opened) || closes(Kind::codelet_end, opened);
    t.chunks -= closes(Kind::chunk_end, opened);
  }
  skip_to(t.tick, t.tasks, t.chunks);
  out_->block(BlockType::events, words_, n * sizeof(uint64_t), Codec::packed, thread, t.sequence++, t.begin_tick,
              t.serial);
  dropped_tasks_ += t.tasks;
  dropped_chunks_ += t.chunks;
  written(t);
}

// Everything that the track knows is in the file.
void Ring::written(Track& t) {
  t.dropped = false;
  t.tasks = t.chunks = 0;
  t.begin_tick = t.tick;
  t.in_file = t.depth;
  t.closed = 0;
}

void Ring::write() {
  while (Chunk* c = first_) {
    for (size_t at = 0; at < c->size;) {
      BlockHeader h;
      memcpy(&h, c->bytes() + at, sizeof h);
      const char* stored = c->bytes() + at + sizeof h;
      at += sizeof h + padded(h.stored_bytes);
      Track* t = track(h.thread);
      if (!t) continue;
      if (t->dropped) write_openings(h.thread, *t);
      h.sequence = t->sequence++;
      out_->stored_block(h, stored);
      scan(*t, h, stored);
      written(*t);
      writer_progressed();
    }
    first_ = c->next;
    c->next = free_;
    free_ = c;
  }
  last_ = nullptr;
  for (uint32_t i = 0; i < kMaxThreads; ++i)
    if (tracks_[i] && tracks_[i]->dropped) write_openings(i, *tracks_[i]);
}

}  // namespace einkorn::record

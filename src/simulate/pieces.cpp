#include <algorithm>

#include "simulate/rates.h"
#include "simulate/replay.h"

namespace einkorn::simulate {

// From where the piece stands up to its next lock point, or its end. `more`: ns that pass besides. False: time passes.
template <class Piece>
bool Engine::run_stretch(uint32_t w, double now, Frame& f, const Piece& piece, double more) {
  const bool timed = s_.memory && (piece.accesses == 0 || traffic_.known());  // else all of it is taken for compute
  const double part = !timed ? 0 : piece.memory >= 0 ? double(piece.memory) : double(s_.unknown_memory);
  const double until = f.point == kNone ? piece.ns : p_.lock_points[f.point].at;
  const double all = until - f.ran, ns = all * (1 - part);
  f.ran = until;
  if (part > 0 && piece.accesses == 0 && all > 0) {
    const int node = workers_[w].node;
    const double alone = rate_of_one(*s_.machine, node);
    const double rate = s_.recorded_rate > 0 && team_.n > 0 ? s_.recorded_rate : alone;
    workers_[w].fetches.push_back({node, all * part * rate});
  }
  time_of(w).work += ns;
  f.phase = Frame::accessing;
  if (ns + more <= 0) return true;
  at(now + ns + more, w);
  return false;
}

template <class Piece>
bool Engine::run_piece(uint32_t w, double now, Frame& f, const Piece& piece, uint32_t locks) {
  auto& fetches = workers_[w].fetches;
  if (f.phase == Frame::fresh) {
    f.point = locks;
    f.ran = 0;
    fetches.clear();
    double hits = 0;
    if (piece.accesses > 0) {
      hits = memory_.touch(w, &p_.accesses[piece.first_access], piece.accesses, fetches, out_);
      if (!s_.memory || !traffic_.known()) hits = 0, fetches.clear();
    }
    time_of(w).memory += hits;
    if (!run_stretch(w, now, f, piece, hits)) return false;
  }
  for (;;) {
    if (f.phase == Frame::accessing) {
      if (!fetches.empty()) {
        begin_streams(w, now);
        if (!workers_[w].streams.empty()) return false;
      }
      if (f.point == kNone) return true;
      f.phase = Frame::locking;
    }
    const LockPoint& p = p_.lock_points[f.point];
    double cost = 0;
    if (p.step) {
      if (!step_of_chunk(w, now, f, p, cost)) return false;
    } else if (p.lock != kNone) {
      const double next = p.last ? p.at : p_.lock_points[f.point + 1].at;
      if (p.taken && !take_lock(w, now, p.lock, next - p.at, cost)) return false;
      if (!p.taken) cost = release_lock(w, now, p.lock);
    }
    time_of(w).overhead += cost;
    f.point = p.last ? kNone : f.point + 1;
    if (!run_stretch(w, now, f, piece, cost)) return false;
  }
}

template bool Engine::run_piece(uint32_t, double, Frame&, const Step&, uint32_t);
template bool Engine::run_piece(uint32_t, double, Frame&, const Chunk&, uint32_t);

// A core has so many loads on their way at a time. They go to the nodes in the order of addresses, and so to all that
// hold some of what it streams: of its time each has the part that its bytes take, alone, and if one gives less than
// that the others wait for it.
void Engine::begin_streams(uint32_t w, double now) {
  Worker& me = workers_[w];
  double all = 0;
  for (const Memory::Fetch& f : me.fetches) all += f.bytes / traffic_.alone(me.node, f.node);
  me.since = now;
  for (const Memory::Fetch& f : me.fetches) {
    if (f.bytes <= 0) continue;
    const double share = me.fetches.size() == 1 ? 1 : f.bytes / traffic_.alone(me.node, f.node) / all;
    me.streams.push_back(traffic_.begin(now, me.node, f.node, f.bytes, share, w));
  }
  me.fetches.clear();
}

void Engine::stream_ended(double now) {
  const auto [w, stream] = traffic_.end(now);
  now_ = now;
  Worker& me = workers_[w];
  me.streams.erase(std::find(me.streams.begin(), me.streams.end(), stream));
  if (!me.streams.empty()) {  // the others have all of its time now
    for (const uint32_t s : me.streams)
      if (const Memory::Fetch left = traffic_.withdraw(now, s); left.bytes > 0) me.fetches.push_back(left);
    me.streams.clear();
    const double since = me.since;
    begin_streams(w, now);
    me.since = since;
    if (!me.streams.empty()) return;
  }
  time_of(w).memory += now - me.since;
  go_on(w, now);
}

}  // namespace einkorn::simulate

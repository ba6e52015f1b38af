// What a thread remembers of the regions of codelets that it has begun, and what it asks before it begins the next one.
#pragma once
#include <cstdlib>
#include <new>

#include "codelet/moving.h"
#include "runtime/places/places.h"
#include "runtime/task/blocks.h"
#include "runtime/team/placed.h"
#include "runtime/team/team.h"
#include "schedule/regions.h"

namespace einkorn::codelet {

using namespace runtime;

// 16-aligned, as long as a region lasts; of a worker's blocks where it is not short.
class Room {
 public:
  Room(Worker* w, size_t bytes) : w_(w), block_(EK_LIKELY(bytes <= sizeof short_) ? nullptr : new_block(w, bytes)) {}
  ~Room() {
    if (EK_UNLIKELY(block_ != nullptr)) free_block(w_, block_);
  }
  Room(const Room&) = delete;
  char* begin() { return EK_LIKELY(block_ == nullptr) ? short_ : static_cast<char*>(block_->body()); }

 private:
  Worker* w_;
  Task* block_;
  alignas(16) char short_[256];
};

// What a thread knows of the regions that it has begun: how long all instances of each took together, the last time;
// and the team of the last one that it ran alone, as that has left it.
struct Times {
  static constexpr int kPlaces = 64;
  struct Entry {
    const Procedure* procedure;
    int size_class;  // of a loop: schedule::class_of_loop(); 0 for all other regions
    schedule::RegionTime time;
  } of[kPlaces];
  schedule::RegionsBefore before;  // by short_times()
  Moving* moving;                  // of one whose instances moved; nullptr: none, or in use
  Team* team;                      // nullptr: none, or in use
  int instances;                   // that its slots are set up for
  uint16_t flags;                  // of their implicit tasks
};

// Nothing is there that Alone does not do: nobody hears of the region, and teams have no other places, limits or lists.
inline bool may_move_at_all(const Worker* w) {
  return !w->stream && !g_config.cancellation && g_config.num_threads_levels <= 1 &&
         w->nested_count + w->team->nested_count == 0 && icv(w).thread_limit == 0x7fffffff && icv(w).child_domain < 0;
}
inline bool may_run_alone(const Worker* w) { return !g_places_tasks && !g_affinity_asked && may_move_at_all(w); }

inline Times& times_of(Worker* w) {
  auto* times = static_cast<Times*>(w->region_times);
  if (EK_UNLIKELY(!times)) {
    void* memory = malloc(sizeof(Times));
    if (!memory) fatal("out of memory: times of regions");
    w->region_times = times = new (memory) Times{};
  }
  return *times;
}

// Its place, or the one beside it: some programs go through a few regions in turn.
inline Times::Entry& entry_of(Times& times, const Procedure* p, int size_class = 0) {
  const uint64_t key = uint64_t(uintptr_t(p)) + uint64_t(size_class) * 0x10001;
  const size_t at = size_t(key * 0x9e3779b97f4a7c15u >> 32) % Times::kPlaces;
  const auto is_its = [&](const Times::Entry& e) { return e.procedure == p && e.size_class == size_class; };
  if (EK_LIKELY(is_its(times.of[at]))) return times.of[at];
  Times::Entry& beside = times.of[at ^ 1];
  if (is_its(beside)) return beside;
  Times::Entry& its = times.of[at].procedure == nullptr || beside.procedure != nullptr ? times.of[at] : beside;
  its = {p, size_class, {}};
  return its;
}

// Do those that the next region gets? Of a crew the first one tells. Regions inside of others get any that are free:
// of these nobody knows, and who had none for a pause takes them to sleep.
inline bool threads_sleep(const Worker* w, bool paused) {
  if (!w->team->for_crew) return paused;
  return w->crew_size == 0 ||
         flow::park_state(w->crew[0]->park.load(std::memory_order_relaxed)) == flow::ParkState::asleep;
}

}  // namespace einkorn::codelet

// A team in the model checker: workers built by hand, each on a modelled thread, with the runtime's own sources.
#pragma once
#include <functional>
#include <vector>

#include "runtime/team/implicit.h"
#include "runtime/loop/share.h"
#include "runtime/task/task.h"
#include "runtime/team/team.h"
#include "runtime/sync/barrier.h"
#include "runtime/sync/wait.h"
#include "runtime/team/worker.h"

namespace rig {

namespace rt = einkorn::runtime;

// Before each execution: `count` workers, 0 a foreign thread with a crew of the others, all outside regions. Waiting is
// passive (threads sleep at once). cpus 0: as many as threads, so that no sleep has a time limit.
// But where g_awake says so they stay awake for a while.
extern bool g_awake;
std::vector<rt::Worker*> make_workers(int count, int cpus = 0);

// A program in which thread 0 runs `primary` and each other thread serves `regions` of worker 0's regions.
model::Program regions(int threads, std::vector<int> regions_of_each, std::function<void(rt::Worker*)> primary,
                       int cpus = 0);

// Runs body(worker) on a team of n of worker 0's crew.
template <class Body>
void parallel(rt::Worker* w, int n, const Body& body) {
  rt::parallel(
      w, [](void* data) { (*static_cast<const Body*>(data))(rt::self()); }, const_cast<Body*>(&body), n, nullptr,
      nullptr, 0);
}

// A deferred task of the current one, running body(worker, task).
rt::Task* spawn(rt::Worker* w, void (*body)(void*), void* data, uint16_t flags = 0);

// How often an instance went on by the place that it was left with (rt::g_places_tasks), in this execution.
extern int g_resumed;
// Number of living tasks: spawn() counts up, and it must be 0 at the end of a run (all blocks came back).
int live_blocks();

}  // namespace rig

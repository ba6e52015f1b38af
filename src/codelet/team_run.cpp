// A run inside a region: the thread that calls it fires codelets at once, and invites others by tasks, which threads
// take that wait in the region's barriers. The tasks are members of a taskgroup, so that the caller's wait for them is
// that of any taskgroup: it helps, and sleeps. Sleeping threads are woken for runs only that last long enough, by what
// the one before took, or by what this one has taken so far. So a run outside of regions begins alone if the one before
// was short; if it turns out to be longer it begins a region, and goes on in it.
#include "codelet/team_run.h"
#include <cerrno>
#include <optional>

#include "record/codelets.h"
#include "runtime/observe/codelets.h"
#include "runtime/observe/events.h"
#include "runtime/sync/sleep.h"
#include "runtime/sync/wait.h"
#include "runtime/task/gomp_body.h"
#include "runtime/team/team.h"

namespace einkorn::codelet {

using namespace runtime;

struct TeamRun : Run {
  TeamRun(RunnableGraph& r, Worker* w, Caller from) : Run(r.graph, nullptr, 0), runnable(r), caller(from) {
    in_team_of(w);
  }
  void in_team_of(Worker* w) {
    n = w->team->n;
    seats = runnable.seats_for(n, w->team->fenced.load(std::memory_order_relaxed));
  }

  // Does it take longer than that, or has taken longer already?
  bool is_longer_than(uint64_t ns) const { return runnable.lasted_ > in_ticks(ns) || ticks() - began > in_ticks(ns); }

  RunnableGraph& runnable;
  Caller caller;  // of ek_graph_run(), which outlives the run
  // Where codelets are recorded:
  const uint32_t* sites = nullptr;  // by class
  std::optional<observe::GraphRun> recorded;
};

namespace {

// For a team of one, and before there is a team.
struct Alone {
  bool before_region;
  bool wants(const Run&) const { return false; }
  void invite(Run&) const {}
  bool stops(const Run& run) const {
    return before_region && static_cast<const TeamRun&>(run).is_longer_than(tunables::kWorthARegion);
  }
  int rounds() const { return 0; }
};

void take_part(void* run);

struct Members {
  Worker* w;
  // In a long run also where nobody is idle yet: who comes to be finds the invitation.
  bool wants(const Run& run) const {
    return static_cast<const TeamRun&>(run).is_longer_than(tunables::kWorthWaking) ||
           searching(w->team->idle.load(std::memory_order_relaxed)) > 0;
  }
  void invite(Run& run) const {
    auto* which = static_cast<TeamRun*>(&run);
    // What the program said of its own next task is not of this one.
    TaskHints* hints = std::exchange(w->hints, nullptr);
    const Gomp body{take_part, &which, 0, nullptr, sizeof(TeamRun*)};
    if (EK_UNLIKELY(which->sites != nullptr)) create_deferred(w, body, {}, which->caller, observe::Unseen{});
    else observe::with_observer(w, [&](auto observer) { create_deferred(w, body, {}, which->caller, observer); });
    w->hints = hints;
  }
  bool stops(const Run&) const { return false; }
  // More threads than CPUs: who looks for work keeps those from theirs who have it.
  int rounds() const { return w->team->n > w->team->cpus ? 2 : kRounds; }
};

template <class Crew>
bool fire(TeamRun& run, Worker* w, bool alone, const Crew& crew) {
  const FiredTask task(w);
  if (EK_LIKELY(run.sites == nullptr)) return work(run, w->thread_num, alone, crew);
  return work(run, w->thread_num, alone, crew, observe::Codelets(w, *run.recorded, run.sites));
}

void take_part(void* data) {
  TeamRun& run = **static_cast<TeamRun**>(data);
  Worker* w = self();
  fire(run, w, false, Members{w});
  run.invited.fetch_sub(1, std::memory_order_relaxed);
}

void run_in_team(Worker* w, TeamRun& run) {
  Taskgroup* g = new_group(w);
  if (EK_LIKELY(run.sites == nullptr)) taskgroup_begin(w, g, run.caller, 0);
  else enter_group(w, g);
  if (run.n > 1 && !(w->current->flags & kTaskFinal)) fire(run, w, true, Members{w});
  else fire(run, w, true, Alone{false});
  run.invited.fetch_sub(1, std::memory_order_relaxed);  // while it waits others may need one more
  if (EK_LIKELY(run.sites == nullptr)) {
    taskgroup_end(w, run.caller, 0);
  } else {
    wait_for_group(w, g);
    w->current->group = g->outer;
  }
  free_group(w, g);
}

void region_body(void* data) {
  auto& run = *static_cast<TeamRun*>(data);
  Worker* w = self();
  if (w->thread_num != 0) return;
  run.in_team_of(w);
  if (EK_LIKELY(run.sites == nullptr)) return run_in_team(w, run);
  // The caller waits outside of the region. In it this is a wait from the beginning: else looking for codelets, and
  // sleeping, would be the region's own work.
  observe::taskgroup_begins(w, 0, run.caller);
  const observe::Wait wait(w, record::Construct::taskgroup, 0, run.caller);
  run_in_team(w, run);
}

}  // namespace

Seat* const* RunnableGraph::seats_for(int threads, bool fenced) {
  while (int(seats_.size()) < threads) {
    seats_.push_back(std::make_unique<Seat>());
    list_.push_back(seats_.back().get());
    list_.back()->random.x = uint32_t(seats_.size());
    list_.back()->queue.init(fenced);
  }
  if (EK_UNLIKELY(fenced))
    for (Seat* s : list_)
      if (s->queue.seems_empty()) s->queue.init(true);
  return list_.data();
}

// Of its classes; nullptr: it is not recorded.
const uint32_t* RunnableGraph::sites_for(Worker* w) {
  if (!record::records_graphs(*w->stream)) return nullptr;
  if (const uint32_t now = record::graph_generation(); EK_UNLIKELY(generation_ != now)) {
    const record::OwnWork work(*w->stream);
    generation_ = now;
    number_ = 0;
    std::vector<uint32_t> begin, arcs;
    std::vector<record::GraphClass> classes;
    sites_.clear();
    for (const Class& c : graph.classes()) {
      sites_.push_back(w->stream->site_of_class(reinterpret_cast<const void*>(c.fire), c.from, c.line));
      classes.push_back({sites_.back() & ~record::kAggregateSite, c.first});
    }
    if (graph.list_arcs(begin, arcs))
      number_ = record::add_graph(
          {graph.name().c_str(), classes.data(), uint32_t(classes.size()), graph.size(), begin.data(), arcs.data()});
  }
  return sites_.data();
}

int RunnableGraph::run(Caller caller, bool here) {
  if (!graph.is_closed()) return EINVAL;
  if (!use_.begin()) return EBUSY;
  Worker* w = self();
  {
    const uint32_t* sites = observe::hears_of_codelets(w) ? sites_for(w) : nullptr;  // before the run's time begins
    TeamRun run(*this, w, caller);
    if (EK_UNLIKELY((run.sites = sites) != nullptr)) run.recorded.emplace(w, number_, caller);
    // Its own number is what it sits at; the first seat's thread may be another one.
    begin(run, w->thread_num);
    if (here || w->team->level > 0) {
      run_in_team(w, run);
    } else if (!fire(run, w, true, Alone{true})) {
      parallel(w, region_body, &run, 0, nullptr, caller, 0);  // recorded where the program calls
    }
    if (!run.is_over()) graph.never_ready(run.fired.load(std::memory_order_relaxed));
    lasted_ = ticks() - run.began;
  }
  if (EK_UNLIKELY(!use_.end())) delete this;
  return 0;
}

void RunnableGraph::free(RunnableGraph* g) {
  if (g && g->use_.may_free()) delete g;
}

}  // namespace einkorn::codelet

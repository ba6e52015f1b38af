// Runs of graphs of codelets, as in events.h. Only the recorder hears of codelets: to a tool a run is the tasks by
// which threads come to help (codelet/team_run.cpp).
#pragma once
#include "base/clock.h"
#include "runtime/observe/events.h"

namespace einkorn::runtime::observe {

inline bool hears_of_codelets(const Worker* w) { return EK_UNLIKELY(w->stream != nullptr) && w->tool == nullptr; }

// A run, by the thread that calls it, until the end of the object.
class GraphRun {
 public:
  // graph: its number in the recording; 0: the recording does not have it, and its codelets are only counted.
  GraphRun(Worker* w, uint32_t graph, const void* caller)
      : w_(w),
        ancestor(w->current->record_id),
        depth(graph != 0 ? w->current->depth + 1 : kBeyondAll),
        id(w->stream->graph_run(
            ticks(), w->stream->site(record::Construct::codelet_graph, 0, current_function(w), caller), graph)) {}
  ~GraphRun() { w_->stream->wait_end(ticks()); }
  GraphRun(const GraphRun&) = delete;

 private:
  static constexpr uint32_t kBeyondAll = ~0u;
  Worker* w_;

 public:
  const uint64_t ancestor;  // id of the task that calls it
  const uint32_t depth;     // of its codelets
  const uint64_t id;
};

// A thread's part in a run, until the end of the object. sites: by class.
class Codelets {
 public:
  Codelets(Worker* w, const GraphRun& run, const uint32_t* sites)
      : task_(w->current), stream_(w->stream), run_(run), sites_(sites), id_before_(task_->record_id) {
    joined_ = stream_ && stream_->join_run(ticks(), run.id, run.ancestor, before_);
    task_->record_id = run.ancestor;
  }
  ~Codelets() {
    task_->record_id = id_before_;
    if (joined_) stream_->leave_run(ticks(), before_);
  }
  Codelets(const Codelets&) = delete;

  void begins(uint32_t of_class, uint32_t node) {
    if (EK_UNLIKELY(!joined_)) return;
    const uint32_t site = sites_[of_class];
    beyond_ = record::Stream::is_beyond(site, run_.depth, run_.ancestor);
    if (EK_LIKELY(!beyond_)) {
      // Of codelets that are over at once, one behind the other, each begins with the end of the one before: what the
      // runtime does in between is some ns, and a stamp takes more.
      began_ = ended_ != 0 ? ended_ : ticks();
      return stream_->codelet_begin(began_, node, site);
    }
    stream_->aggregated_codelet_begin(ticks(), site);
    // What it creates is below it.
    if (!record::is_aggregated(run_.ancestor))
      task_->record_id = record::aggregated_id(run_.ancestor, site & ~record::kAggregateSite);
  }
  void ends() {
    if (EK_UNLIKELY(!joined_)) return;
    if (EK_LIKELY(!beyond_)) {
      const uint64_t now = ticks();
      ended_ = now - began_ < brief_ ? now : 0;
      return stream_->codelet_end(now);
    }
    task_->record_id = run_.ancestor;
    stream_->aggregated_codelet_end(ticks());
  }
  // The runtime does something else in between.
  void pauses() { ended_ = 0; }
  // search(), which looks for a codelet that is ready.
  template <class Search>
  auto looks(Search&& search) {
    pauses();
    if (joined_) stream_->searches(ticks());
    auto found = search();
    if (joined_) stream_->found(ticks());
    return found;
  }

 private:
  Task* task_;
  record::Stream* stream_;
  const GraphRun& run_;
  const uint32_t* sites_;
  uint64_t id_before_;
  uint64_t began_ = 0, ended_ = 0, brief_ = in_ticks(record::kPerturbedNs);
  record::Firing before_;
  bool joined_ = false, beyond_ = false;
};

// Observes the creation of a task by which a thread is asked to help: no work of the program's, and not recorded.
struct Unseen : Nobody {
  struct Creation {
    Creation(Worker*, Caller) {}
    void set_up(Task*, int, bool) {}
    template <class Site>
    void made(Task* t, Site&&) {
      t->record_id = record::unseen_id(t->parent->record_id);
      t->flags &= uint16_t(~kTaskRecorded);  // it takes no fast path of those that are recorded
    }
  };
};

}  // namespace einkorn::runtime::observe

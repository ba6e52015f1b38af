// The part of the state machine for tasks: created, run, suspended; their dependences and footprints.
#include <algorithm>
#include <utility>
#include "profile/decode_thread.h"

namespace einkorn::profile {

// The low 32 bits of a serial that has been given out.
uint64_t ThreadDecoder::own_task(uint32_t low) const {
  uint64_t serial = (serial_ & ~0xffffffffull) | low;
  if (serial > serial_ && serial >= (1ull << 32)) serial -= 1ull << 32;
  return record::make_id(thread_, serial);
}

bool ThreadDecoder::runs_at_once(uint32_t site) const {
  return site < out_.sites.size() && out_.sites[site].flags & record::kSiteUndeferred;
}

// Stamped at its end. It took as long as those that were timed, or as long as there is time for. A task that runs at
// once is not timed.
void ThreadDecoder::task_create_brief(uint32_t site, int64_t end) {
  advance(runs_at_once(site) ? end : std::max(now_, end - creation_.ns));
  task_create(site, end);
  if (!creation_.known) out_.tasks[last_task_].create_cost = -1, pending_task_ = kNone;
  after_end_ = false;
}

// It was fetched, and ran, between the previous record and this one.
void ThreadDecoder::task_run(uint64_t id, int64_t end) {
  advance(std::min(end, std::max(now_, overhead_until_) + (after_end_ ? next_start_ : first_start_).ns));
  count_task_in_wait();
  task_start(id);
  advance(end);
  task_end(false);
  after_end_ = true;
}

void ThreadDecoder::task_create(uint32_t site, int64_t end) {
  RawTask task;
  task.site = site;
  task.creator = thread_;
  task.creator_node = node_;
  task.create_begin = now_;
  task.create_cost = 0;  // advance() sets it, up to the next stamp at most
  last_task_ = out_.tasks.push(task);
  last_serial_ = ++serial_;
  auto& runs = out_.threads[thread_].created;
  if (!runs.empty() && runs.back().first + runs.back().count == serial_ &&
      runs.back().task + runs.back().count == last_task_)
    ++runs.back().count;
  else runs.push_back({serial_, last_task_, 1});
  if (top().kind == FrameKind::taskloop) top().ref = last_task_;
  // An undeferred task depends on what its creator has just waited for.
  uint32_t waited_for = std::exchange(owner().depends, kNone);
  const bool at_once = runs_at_once(site);
  if (at_once) out_.tasks[last_task_].depends = waited_for, out_.tasks[last_task_].create_cost = -1;
  dependent(Dependent::task, last_task_);
  close_step(Action::fork, last_task_);
  overhead_until_ = std::max(now_, end);
  pending_task_ = at_once ? kNone : last_task_;
  open_step();
}

void ThreadDecoder::task_range(uint64_t first, uint64_t count) {
  // An undeferred piece has already run, and may have created tasks of its own since.
  uint32_t task = last_task_, taskloop = kNone;
  if (top().kind == FrameKind::taskloop) {
    const Frame& below = stack_[stack_.size() - 2];
    task = top().ref;
    taskloop = (below.kind == FrameKind::chunk ? below : owner()).taskloops - 1;
  }
  if (task == kNone || out_.tasks[task].range != kNone) {
    ++out_.unmatched;
    return;
  }
  out_.tasks[task].range = uint32_t(out_.ranges.size());
  out_.ranges.push_back({first, count, taskloop});
}

// The time after its last piece was the runtime's; from here on it is the creator's again.
void ThreadDecoder::leave_taskloop() {
  call_ = top().call;
  pop();
  owner().after_loop = true;
  const uint32_t open = owner().step;
  if (open == kNone || out_.steps[open].kind != StepKind::none) return;
  out_.steps[open].kind = step_kind();
  out_.steps[open].begin = now_;
}

// The records that follow belong to this task, or to the wait that ended this step.
void ThreadDecoder::dependent(Dependent whose, uint32_t index) {
  dependent_ = whose;
  dependent_index_ = index;
  last_depend_ = kNone;
}

void ThreadDecoder::depend(uint32_t count, const uint64_t* extra) {
  for (uint32_t i = 0; i < count; ++i, extra += 3) {
    uint32_t& task_has = dependent_ == Dependent::task ? out_.tasks[dependent_index_].depends : top().depends;
    if (dependent_ == Dependent::nobody ||
        (last_depend_ == kNone && task_has != kNone)) {  // recorded twice: the first counts
      ++out_.unmatched;
      return;
    }
    uint32_t d = out_.depends.push({extra[0], extra[1], kNone, uint8_t(std::min<uint64_t>(extra[2], 0xff))});
    if (last_depend_ != kNone) out_.depends[last_depend_].next = d;
    else task_has = d;
    if (dependent_ == Dependent::wait && last_depend_ == kNone) out_.depends_of_wait[dependent_index_] = d;
    last_depend_ = d;
  }
}

void ThreadDecoder::task_start(uint64_t id) {
  top().idle = false;
  bool undeferred = last_task_ != kNone && id == record::make_id(thread_, last_serial_);
  push(FrameKind::task, new_context(ContextKind::task, id));
  if (undeferred) top().ref = last_task_;
  open_step();
}

// The caller waits for all codelets of the run, as at the end of a taskgroup that begins here.
void ThreadDecoder::graph_run(uint32_t site, uint64_t id, uint64_t graph) {
  open_step();
  if (uint16_t& groups = out_.steps[owner().step].groups; groups < 0xffff) ++groups;
  const uint32_t step = owner().step;
  wait_begin(site, record::Construct::codelet_graph);  // also where the site is not known
  if (site < out_.sites.size()) ++wait_at(site).waits;
  out_.runs.push_back({id, uint32_t(std::min<uint64_t>(graph, kNone)), owner().context, step});
}

void ThreadDecoder::codelet_begin(uint32_t node, uint64_t run) {
  top().idle = false;
  const uint64_t key = kFiringKey | out_.firings.size();
  push(FrameKind::task, new_context(ContextKind::task, key));
  out_.firings.push_back({run, node, top().context});
  open_step();
}

void ThreadDecoder::place(uint32_t node) {
  node_ = uint16_t(node);
  placed_ = true;
  // It follows the record that began the implicit task.
  if (uint32_t step = owner().step; step != kNone) out_.steps[step].node = node_;
}

constexpr uint64_t kMostBytes = uint64_t(1) << 40;  // of a task: sums in a hostile file stay below 2^64 for 2^24 tasks

void ThreadDecoder::footprint(uint64_t bytes, uint64_t known, bool estimated) {
  if (top().kind != FrameKind::task || out_.footprints.size() >= kNone) return;
  Context& c = out_.contexts[top().context];
  if (c.footprint == kNone) {
    c.footprint = uint32_t(out_.footprints.size());
    out_.footprints.emplace_back();
  }
  Footprint& f = out_.footprints[c.footprint] = Footprint();
  bytes = std::min(bytes, kMostBytes);
  f.bytes = bytes;
  f.known = std::min(known, bytes);
  f.estimated = estimated;
}

void ThreadDecoder::footprint_node(uint32_t node, uint64_t read, uint64_t written) {
  if (top().kind != FrameKind::task) return;
  uint32_t index = out_.contexts[top().context].footprint;
  if (index == kNone) return;
  Footprint& f = out_.footprints[index];
  // Their sum never exceeds what is known, whatever the file says.
  written = std::min(written, f.known - f.written);
  read = std::min(read, f.known - written);
  f.written += written;
  constexpr uint32_t kMostNodes = 4096;
  if (node < kMostNodes) {
    if (node >= out_.footprint_on.size()) out_.footprint_on.resize(node + 1);
    out_.footprint_on[node] += read + written;
    if (read + written > f.at_home) f.home = uint16_t(node), f.at_home = read + written;
  }
  if (node == node_ || node_ == 0xffff) return;
  f.remote_written += written;
  f.remote = std::min(f.known, f.remote + read + written);
}

void ThreadDecoder::touch(uint32_t what, uint64_t address, uint64_t bytes) {
  if (top().kind != FrameKind::task || out_.touches.size() >= kNone) return;
  const uint32_t context = top().context;
  // Those of one context are adjacent: only the first block of them has room.
  auto [at, fresh] = out_.touches_of.try_emplace(context, uint32_t(out_.touches.size()));
  if (!fresh && out_.touches.back().grain != context) return void(++out_.unmatched);
  out_.touches.push_back({address, std::min(bytes, kMostBytes), context, uint8_t(what & 3), (what & 4) != 0});
}

// A procedure's instance leaves the thread until its children have ended: a join, and nobody waits.
void ThreadDecoder::give_way(uint32_t site) {
  if (!drop_down_to(FrameKind::task)) return;
  close_step(Action::wait_task, site);
  task_end(true);
}

void ThreadDecoder::stretch(uint32_t site) {
  const bool waited = site < out_.sites.size() && !(out_.sites[site].flags & record::kSiteNowait);
  if (top().kind != FrameKind::task && top().kind != FrameKind::implicit) return void(++out_.unmatched);
  cut(waited ? Action::wait_task : Action::stretch, site);
}

// Ends a fragment, and no share.
void ThreadDecoder::cut(Action action, uint32_t ref) {
  open_step();
  // Behind the wait of a region's instance, at its time: this is no share of its own.
  Step& s = out_.steps[owner().step];
  if (top().kind == FrameKind::implicit && s.weight == 0 && s.begin >= now_ && s.groups == 0) s.kind = StepKind::none;
  close_step(action, ref);
  open_step();
}

// Of codelets by hand. The program's code may signal one wherever it runs. A signal's time is its stamp, and not the
// time up to which the thread is accounted for: that lies before it where the creation of the firing was not timed.
bool ThreadDecoder::runs_the_program() {
  const FrameKind at = top().kind;
  return at == FrameKind::implicit || at == FrameKind::chunk || at == FrameKind::task || at == FrameKind::base;
}

void ThreadDecoder::signalled(uint64_t codelet, uint32_t left) {
  if (!runs_the_program() || left == 0 || out_.signals.size() >= kNone) return void(++out_.unmatched);
  out_.signals.push_back({codelet, ticks_.ns(tick_), left});
  cut(Action::signal, uint32_t(out_.signals.size() - 1));
}

void ThreadDecoder::iteration(bool awaited, uint64_t position) {
  if (top().kind != FrameKind::chunk || out_.iterations.size() >= kNone) return void(++out_.unmatched);
  out_.iterations.push_back({position, awaited});
  cut(Action::iteration, uint32_t(out_.iterations.size() - 1));
}

// Threads that the program made itself fulfil events, too: of these the recording knows only that they did.
void ThreadDecoder::fulfill(uint64_t task) {
  if (!runs_the_program() || out_.fulfills.size() >= kNone) return void(++out_.unmatched);
  out_.fulfills.push_back({task});
  if (owner().context != kNone) cut(Action::fulfill, uint32_t(out_.fulfills.size() - 1));
}

void ThreadDecoder::fired(uint32_t payload, const uint64_t* extra) {
  const bool just_created = dependent_ == Dependent::task && dependent_index_ == last_task_;
  if (!runs_the_program() || out_.signals.size() >= kNone || (payload == record::kEdgeFired && !just_created))
    return void(++out_.unmatched);
  RawSignal s{extra[0], ticks_.ns(tick_)};
  if (payload == record::kEdgeFiredTask) s.id = extra[1];
  else s.id = record::make_id(thread_, last_serial_), s.as = extra[1];
  out_.signals.push_back(s);
}

void ThreadDecoder::edge(uint32_t count, const uint64_t* extra) {
  if (count == record::kEdgeSignal) return signalled(extra[0], uint32_t(extra[1]));
  RawBeside b{uint32_t(extra[0]), count, {uint32_t(extra[1]), uint32_t(extra[1] >> 32)}};
  const FrameKind at = top().kind;
  if ((at != FrameKind::implicit && at != FrameKind::chunk) || count > b.members.size()) return void(++out_.unmatched);
  out_.besides.push_back(b);
  cut(count == 0 ? Action::post : Action::behind, uint32_t(out_.besides.size() - 1));
}

void ThreadDecoder::task_end(bool suspended) {
  if (!drop_down_to(FrameKind::task)) return;
  uint32_t undeferred = top().ref;
  end_context(!suspended, false);
  if (undeferred != kNone) dependent(Dependent::task, undeferred);
}

}  // namespace einkorn::profile

#include <algorithm>
#include "profile/aggregates.h"
#include "profile/codelets.h"
#include "profile/link_ids.h"
#include "profile/link_parts.h"

namespace einkorn::profile {

namespace link_parts {

namespace {

// One stamped interval costs at most this many ns (25 ns a grain with two stamps is the budget).
constexpr int64_t kProbeNs = 25;

// Of an implicit task: does what the step ended with end its share, too? Else only a fragment of it.
bool ends_share(Action a) {
  return a != Action::fork && a != Action::stretch && a != Action::post && a != Action::behind && a != Action::signal &&
         a != Action::iteration && a != Action::fulfill;
}

}  // namespace

uint32_t Linker::add_grain(GrainKind kind, uint32_t parent, uint32_t ordinal, GrainId id) {
  uint32_t index = uint32_t(out_.grains.size());
  Grain& g = out_.grains.emplace_back();
  last_child_.push_back(kNone);
  g.id_high = id.high;
  g.id_low = id.low;
  g.kind = kind;
  g.parent = parent;
  g.ordinal = ordinal;
  if (parent == kNone) return index;
  Grain& p = out_.grains[parent];
  g.depth = p.depth + (p.kind == GrainKind::task);
  g.region = p.region;
  ++p.children;
  if (last_child_[parent] == kNone) p.first_child = index;
  else out_.grains[last_child_[parent]].next_sibling = index;
  last_child_[parent] = index;
  return index;
}

// Adds a step to the grain it belongs to.
void Linker::account(Step& s, uint32_t grain, bool ended) {
  s.grain = grain;
  Grain& g = out_.grains[grain];
  if (g.fragments++ == 0) {
    g.begin = s.begin;
    g.thread = s.thread;
    g.cpu = s.cpu;
    g.node = s.node;
  }
  g.end = std::max(g.end, s.end);
  g.exec += s.weight;
  if (s.action == Action::end && !ended) g.flags |= kIncomplete;
}

void Linker::push_context(uint32_t context, uint32_t grain, uint32_t region) {
  Walk w{};
  w.context = context;
  w.step = rec_.contexts[context].first_step;
  w.grain = grain;
  w.region = region;
  w.implicit = rec_.contexts[context].kind == ContextKind::implicit;
  count_wait(w);
  stack_.push_back(w);
}

// A stay begins: its waits and flags become the grain's.
void Linker::count_wait(Walk& w) {
  const Context& c = rec_.contexts[w.context];
  Grain& g = out_.grains[w.grain];
  g.wait += c.wait;
  g.wait_overhead += c.wait_overhead;
  g.wait_idle += c.wait_idle;
  if (c.estimated) g.flags |= kEstimated;
  if (g.kind != GrainKind::implicit) return;
  if (g.begin < 0 && c.first_step != kNone) {
    const Step& first = rec_.steps[c.first_step];
    g.begin = first.begin;
    g.thread = g.creator = first.thread;
    g.cpu = first.cpu;
    g.node = first.node;
  }
  g.end = std::max(g.end, c.end);
}

GrainId Linker::creator(const Walk& w) const {
  if (!w.implicit || w.region == kNone) return id_of(w.grain);
  const RegionInfo& info = infos_[w.region];
  uint32_t who = creators_[info.creators + w.epoch];
  return who == kMany || rec_.contexts[w.context].estimated ? id_of(w.grain) : info.id;
}

GrainId Linker::name_by_hand(const HandNames::Name& name, Walk& w) const {
  if (name.nth != kNone)
    return derive(w.region == kNone ? id_of(0) : infos_[w.region].id, IdKind::by_hand, 0, name.as, name.nth);
  const bool in_chunk = w.chunk != kNone;
  return derive(id_of(in_chunk ? w.chunk : w.grain), IdKind::by_hand, 1, in_chunk ? 0 : w.epoch,
                (in_chunk ? w.in_chunk : w.in_epoch).by_hand++);
}

void Linker::fork(Walk& w, Step& s) {
  RawTask& task = rec_.tasks[s.ref];
  if (task.grain != kNone) {  // only a damaged file creates a task twice
    s.ref = kNone;
    return;
  }
  if (task.fired == RawTask::Fired::unseen) return;
  bool in_chunk = w.chunk != kNone;
  uint32_t parent = in_chunk ? w.chunk : w.grain;
  GrainId base = in_chunk ? id_of(w.chunk) : creator(w);
  uint64_t epoch = in_chunk ? 0 : w.epoch;
  Created& counters = in_chunk ? w.in_chunk : w.in_epoch;
  const bool codelet = task.fired == RawTask::Fired::seen;
  uint32_t ordinal = codelet ? task.codelet.node : in_chunk ? w.in_chunk.tasks++ : w.all.tasks++;
  const HandNames::Name* its = by_hand_.of(s.ref);
  HandNames::Name by_hand = its ? *its : HandNames::Name{};
  if (by_hand.region != w.region) by_hand.nth = kNone;  // what it was created in has lost its own parent
  GrainId id;
  if (its) {
    id = name_by_hand(by_hand, w);
  } else if (codelet) {
    id = derive(base, IdKind::codelet, epoch, counters.runs, task.codelet.node);
  } else if (task.range == kNone) {
    id = derive(base, IdKind::task, epoch, counters.plain++);
  } else {
    const TaskRange& r = rec_.ranges[task.range];
    id = derive(derive(base, IdKind::piece, epoch, r.taskloop), IdKind::piece, r.first, r.count);
  }
  uint32_t region = w.region;
  const uint32_t grain = enter_task(s.ref, parent, ordinal, id, region);  // invalidates w
  if (!its) return;
  out_.hand_firings.push_back({grain, by_hand.nth, by_hand.as});
  if (by_hand.as) out_.grains[grain].first_iteration = uint32_t(by_hand.as), out_.grains[grain].iterations = 1;
}

uint32_t Linker::enter_task(uint32_t index, uint32_t parent, uint32_t ordinal, GrainId id, uint32_t region) {
  RawTask& task = rec_.tasks[index];
  uint32_t grain = add_grain(GrainKind::task, parent, ordinal, id);
  task.grain = grain;
  Grain& g = out_.grains[grain];
  g.source = source_of(task.site);
  g.flags = flags_of(task.site);
  const bool told = rec_.version >= record::kVersionAtOnceTold || region == kNone || rec_.regions[region].team != 1;
  if (!told && (g.flags & kUndeferred) && !(g.flags & kIncluded)) g.flags |= kInlined;
  g.creator = task.creator;
  g.creator_node = task.creator_node;
  if (task.first_stay != kNone) g.footprint = rec_.contexts[task.first_stay].footprint;
  g.create_begin = task.create_begin;
  g.create_cost = task.create_cost;
  if (task.fired == RawTask::Fired::seen)
    g.flags |= kHasDepend, g.first_iteration = node_in_class(task), g.iterations = 1;
  if (task.range != kNone) {
    g.first_iteration = int64_t(rec_.ranges[task.range].first);
    g.iterations = int64_t(rec_.ranges[task.range].count);
  }
  bool ended = false;
  for (uint32_t c = task.first_stay; c != kNone; c = rec_.contexts[c].next_stay) ended = rec_.contexts[c].ended;
  if (!ended) g.flags |= kIncomplete;
  if (task.first_stay != kNone) push_context(task.first_stay, grain, region);
  return grain;
}

// Finds who creates between which barriers, and the number of work-sharing constructs.
void Linker::scan_members(const RawRegion& region, RegionInfo& info) {
  info.creators = creators_.size();
  info.loops = loop_slots_.size();
  uint32_t epochs = 1, loops = 0;
  creators_.push_back(kNone);
  for (uint32_t m = 0; m < region.members; ++m) {
    uint32_t epoch = 0;
    bool in_chunk = false;
    for (uint32_t c = rec_.members[region.first_member + m]; c != kNone; c = rec_.contexts[c].next_stay) {
      for (uint32_t s = rec_.contexts[c].first_step; s != kNone; s = rec_.steps[s].next) {
        const Step& step = rec_.steps[s];
        switch (step.action) {
          case Action::fork:
          case Action::region:
            if (!in_chunk && !(step.action == Action::fork && by_hand_.of(step.ref))) {
              uint32_t& who = creators_[info.creators + epoch];
              who = who == kNone || who == m ? m : kMany;
            }
            break;
          case Action::wait_team:
            if (++epoch == epochs) {
              ++epochs;
              creators_.push_back(kNone);
            }
            break;
          case Action::loop_begin:
            if (const RawLoop& loop = rec_.loops[step.ref]; loop.aligned) loops = std::max(loops, loop.ordinal + 1);
            break;
          case Action::chunk_begin: in_chunk = true; break;
          case Action::chunk_end:
          case Action::loop_end: in_chunk = false; break;
          default: break;
        }
      }
    }
  }
  loop_slots_.resize(loop_slots_.size() + loops, kNone);
}

// What its threads have asked for. Both where the end of one is missing: nobody knows.
uint8_t Linker::asked_in(const RawRegion& region) const {
  uint8_t asked = 0;
  for (uint32_t m = 0; m < region.members; ++m)
    for (uint32_t c = rec_.members[region.first_member + m]; c != kNone; c = rec_.contexts[c].next_stay)
      asked |= rec_.contexts[c].estimated ? uint8_t(record::kAskedBoth) : rec_.contexts[c].asked;
  return asked;
}

void Linker::enter_region(uint32_t index, uint32_t parent, uint32_t ordinal, GrainId id) {
  RawRegion& raw = rec_.regions[index];
  RegionInfo& info = infos_[index];
  info.id = id;
  scan_members(raw, info);
  raw.region = uint32_t(out_.regions.size());
  Region& r = out_.regions.emplace_back();
  r.parent_grain = parent;
  r.source = source_of(raw.site);
  r.ordinal = ordinal;
  r.team = raw.begun ? raw.team : raw.members;
  r.level = raw.level;
  r.team_named = raw.site < rec_.sites.size() && rec_.sites[raw.site].flags & record::kSiteTeamAsked;
  r.asked = asked_in(raw);
  r.begin = raw.begin;
  r.end = raw.end;
  uint32_t region = raw.region, source = r.source;
  info.first_implicit = uint32_t(out_.grains.size());
  size_t first = stack_.size();
  for (uint32_t m = 0; m < raw.members; ++m) {
    uint32_t context = rec_.members[raw.first_member + m], number = rec_.contexts[context].member;
    uint32_t grain = add_grain(GrainKind::implicit, parent, number, derive(id, IdKind::implicit, number));
    Grain& g = out_.grains[grain];
    g.source = source;
    g.region = region;
    bool ended = false;
    for (uint32_t c = context; c != kNone; c = rec_.contexts[c].next_stay) ended = rec_.contexts[c].ended;
    if (!ended) g.flags |= kIncomplete;
    push_context(context, grain, index);
    // The primary thread's stamp if there is one: members may leave the barrier later.
    if (raw.end < 0) out_.regions[region].end = std::max(out_.regions[region].end, g.end);
  }
  std::reverse(stack_.begin() + long(first), stack_.end());  // member 0 is walked first
}

void Linker::meet_region(Walk& w, Step& s) {
  if (rec_.regions[s.ref].region != kNone) {
    s.ref = kNone;
    return;
  }
  bool in_chunk = w.chunk != kNone;
  uint32_t parent = in_chunk ? w.chunk : w.grain;
  uint32_t ordinal = in_chunk ? w.in_chunk.regions++ : w.all.regions++;
  bool foreign = rec_.contexts[w.context].kind == ContextKind::foreign;
  if (parent == 0) ordinal = root_regions_++;
  GrainId id = in_chunk ? derive(id_of(w.chunk), IdKind::region, 0, ordinal)
               : foreign
                   ? derive(id_of(0), IdKind::foreign_region, rec_.contexts[w.context].thread, w.in_epoch.regions++)
                   : derive(creator(w), IdKind::region, w.epoch, w.in_epoch.regions++);
  enter_region(s.ref, parent, ordinal, id);
}

void Linker::begin_loop(Walk& w, const Step& s) {
  const RawLoop& raw = rec_.loops[s.ref];
  uint32_t* slot = nullptr;
  GrainId id;
  if (w.implicit && w.region != kNone && raw.aligned) {
    slot = &loop_slots_[infos_[w.region].loops + raw.ordinal];
    id = derive(infos_[w.region].id, IdKind::loop, raw.ordinal);
  } else {
    id = derive(id_of(w.grain), IdKind::own_loop, raw.ordinal);
  }
  if (slot && *slot != kNone) {
    w.loop = *slot;
    return;
  }
  w.loop = uint32_t(out_.loops.size());
  if (slot) *slot = w.loop;
  LoopInstance& loop = out_.loops.emplace_back();
  loop.region = out_.grains[w.grain].region;
  loop.ordinal = raw.ordinal;
  loop.source = source_of(raw.site);
  loop.schedule = raw.schedule;
  loop.lower = raw.lower;
  loop.increment = raw.increment;
  loop.iterations = raw.iterations;
  loop.chunk = raw.chunk;
  loop_ids_.push_back(id);
}

void Linker::begin_chunk(Walk& w, const Step& s) {
  RawChunk& raw = rec_.chunks[s.ref];
  if (w.loop == kNone) return;  // cannot be: decoding lets no chunk begin outside a loop
  raw.grain = w.chunk =
      add_grain(GrainKind::chunk, w.grain, w.chunks++, derive(loop_ids_[w.loop], IdKind::chunk, raw.first));
  w.in_chunk = {};
  Grain& g = out_.grains[w.chunk];
  g.loop = w.loop;
  g.source = out_.loops[w.loop].source;
  g.creator = s.thread;
  g.first_iteration = int64_t(raw.first);
  g.iterations = int64_t(raw.count);
  g.wait = raw.wait;
  g.wait_overhead = raw.wait_overhead;
  g.wait_idle = raw.wait_idle;
  g.create_begin = s.begin;  // book-keeping is to a chunk what creation is to a task
  g.create_cost = s.weight;
  g.flags |= out_.grains[w.grain].flags & kEstimated;
}

// The position of a codelet in its class; in its graph, if that is not known.
uint32_t Linker::node_in_class(const RawTask& task) const {
  const uint32_t graph = rec_.runs[task.codelet.run].graph, node = task.codelet.node;
  return graph == kNone ? node : node - class_of(rec_.graphs[graph], node).first;
}

// Takes one step; false at the end of the context. May push, which invalidates `w`.
bool Linker::walk_step(Walk& w) {
  while (w.step == kNone) {
    uint32_t next = rec_.contexts[w.context].next_stay;
    if (next == kNone) return false;
    w.context = next;
    w.step = rec_.contexts[next].first_step;
    w.share = kNone;
    count_wait(w);
  }
  Step& s = rec_.steps[w.step];
  const bool ended = rec_.contexts[w.context].ended;
  w.step = s.next;
  // In a damaged recording the chunk whose code it was may be missing: then it is the implicit task's own.
  if (w.implicit && (s.kind == StepKind::fragment || (s.kind == StepKind::chunk && w.chunk == kNone))) {
    if (w.share == kNone) {
      uint32_t position = w.shares++;
      w.share = add_grain(GrainKind::share, w.grain, position, derive(id_of(w.grain), IdKind::share, position));
      Grain& g = out_.grains[w.share];
      g.source = out_.grains[w.grain].source;
      g.creator = s.thread;
      g.flags |= out_.grains[w.grain].flags & kEstimated;
    }
    account(s, w.share, ended);
  } else if (s.kind == StepKind::none) {
    s.grain = w.share != kNone ? w.share : w.chunk != kNone ? w.chunk : w.grain;
    if (w.implicit && w.share == kNone && ends_share(s.action)) ++w.shares;
  } else if (s.kind == StepKind::chunk && w.chunk != kNone) {
    account(s, w.chunk, ended);
  } else if (s.kind == StepKind::bookkeeping) {
    s.grain = w.grain;
  } else {
    account(s, w.grain, true);
  }

  if (ends_share(s.action)) {
    // The region's outlined function is the share's location; if it is unknown, the call that ends the share.
    bool waits = s.action >= Action::wait_task && s.action <= Action::wait_own;
    if (w.share != kNone && waits && out_.grains[w.share].source == kNone)
      out_.grains[w.share].source = source_of(s.ref);
    w.share = kNone;
  }
  switch (s.action) {
    case Action::fork: fork(w, s); break;
    case Action::region: meet_region(w, s); break;
    case Action::wait_team:
      ++w.epoch;
      w.in_epoch = {};
      break;
    case Action::wait_group:
      // Its codelets were created before it. It counts whether any was recorded or not.
      if (s.ref < rec_.sites.size() && rec_.sites[s.ref].construct == record::Construct::codelet_graph)
        ++(w.chunk != kNone ? w.in_chunk : w.in_epoch).runs;
      break;
    case Action::loop_begin: begin_loop(w, s); break;
    case Action::chunk_begin: begin_chunk(w, s); break;
    case Action::chunk_end:
    case Action::loop_end: w.chunk = kNone; break;
    default: break;
  }
  return true;
}

void Linker::walk_all() {
  while (!stack_.empty()) {
    size_t top = stack_.size() - 1;
    if (!walk_step(stack_[top])) stack_.pop_back();
  }
}

void Linker::finish_grains() {
  for (Grain& g : out_.grains) {
    if (g.kind == GrainKind::initial || g.kind == GrainKind::implicit || !g.fragments) continue;
    if (g.exec < 10 * kProbeNs) g.flags |= kPerturbed;
    Totals& t = out_.totals;
    if (g.kind == GrainKind::share) ++t.shares;
  }
}

// Steps that run in members of teams, of which shares are made: at most one share each.
size_t Linker::member_fragments() const {
  size_t n = 0;
  for (uint32_t c = 0; c < rec_.contexts.size(); ++c) {
    if (rec_.contexts[c].kind != ContextKind::implicit) continue;
    for (uint32_t s = rec_.contexts[c].first_step; s != kNone; s = rec_.steps[s].next)
      n += rec_.steps[s].kind == StepKind::fragment || rec_.steps[s].kind == StepKind::chunk;
  }
  return n;
}

void Linker::run() {
  rec_.recorded_steps = uint32_t(rec_.steps.size());
  make_codelets(rec_);
  resolve_ids(rec_);
  by_hand_ = HandNames(rec_);
  // Reserves enough: if the table had to grow, there would for a while be two copies of the largest of all tables. The
  // excess is never touched, and takes no memory.
  size_t rows = size_t(rec_.tasks.size()) + rec_.chunks.size() + rec_.members.size() + 1;
  out_.grains.reserve(rows + member_fragments());
  infos_.resize(rec_.regions.size());
  add_grain(GrainKind::initial, kNone, 0, derive({}, IdKind::initial, 0));
  if (rec_.initial != kNone) {
    push_context(rec_.initial, 0, kNone);
    if (!rec_.contexts[rec_.initial].ended) out_.grains[0].flags |= kIncomplete;
  }
  walk_all();
  adopt();
  finish_grains();
  for (const RawStop& s : rec_.stops)
    if (const uint32_t g = rec_.steps[s.step].grain; g < out_.grains.size()) out_.stops.push_back({g, s.ns});
  gather_aggregates(
      rec_, sources_,
      [this](const RawSubtree& s) {
        const uint32_t task = record::id_serial(s.ancestor) ? find_task(rec_, s.ancestor) : kNone;
        return task != kNone && rec_.tasks[task].grain != kNone ? rec_.tasks[task].grain : host_grain(s.host);
      },
      out_);
}

}  // namespace link_parts

void link(Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  link_parts::Linker(rec, site_source, out).run();
}

}  // namespace einkorn::profile

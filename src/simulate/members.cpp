// Other team sizes than the recorded ones: with_members().
#include <algorithm>
#include <numeric>
#include <utility>

#include "schedule/loops.h"
#include "simulate/cut_line.h"
#include "simulate/from_profile.h"

namespace einkorn::simulate {

namespace {

Step stretch(const CutLine::Piece& piece, float memory) {
  Step s{StepKind::compute, piece.locks, piece.ns, 0, 0};
  s.memory = memory;
  return s;
}

// One member's steps between two barriers, in the old program's numbers.
using Stretch = std::vector<Step>;

class Members {
 public:
  Members(const Program& p, uint32_t n, bool alike) : p_(p), n_(n), alike_(alike) {}

  Program run() {
    out_.name = p_.name;
    out_.groups = p_.groups;
    out_.data = p_.data;
    out_.blocks = p_.blocks;
    out_.accesses = p_.accesses;
    out_.lock_points = p_.lock_points;
    out_.locks = p_.locks;
    out_.signals = p_.signals;
    out_.exclusive = p_.exclusive;
    out_.sets = p_.sets;
    number();
    // A region inside another, or one that is not to change, keeps its members as they are.
    steps_.resize(out_.tasks.size());
    for (uint32_t t = 0; t < p_.tasks.size(); ++t)
      if (region_of_[t] == kNone)
        for (uint32_t i = 0; i < p_.tasks[t].steps; ++i)
          steps_[new_[t]].push_back(renumbered(p_.steps[p_.tasks[t].first_step + i]));
    for (uint32_t r = 0; r < p_.regions.size(); ++r)
      if (changes_[r]) divide(r);
    for (uint32_t t = 0; t < steps_.size(); ++t) {
      out_.tasks[t].first_step = uint32_t(out_.steps.size());
      out_.tasks[t].steps = uint32_t(steps_[t].size());
      out_.steps.insert(out_.steps.end(), steps_[t].begin(), steps_[t].end());
    }
    cut_loops();
    return std::move(out_);
  }

 private:
  // Outermost regions get the new size: those that the initial task meets, or a task that it created outside of all
  // regions.
  void number() {
    std::vector<uint8_t> inside(p_.tasks.size(), 0);  // of a region
    for (uint32_t t = 1; t < p_.tasks.size(); ++t) inside[t] = !p_.tasks[t].explicit_task || inside[p_.tasks[t].parent];
    changes_.assign(p_.regions.size(), 0);
    for (uint32_t t = 0; t < p_.tasks.size(); ++t)
      for (uint32_t i = 0; i < p_.tasks[t].steps; ++i)
        if (const Step& s = p_.steps[p_.tasks[t].first_step + i]; s.kind == StepKind::region)
          changes_[s.ref] = !inside[t] && !(p_.regions[s.ref].named && p_.regions[s.ref].members <= n_);
    region_of_.assign(p_.tasks.size(), kNone);
    for (uint32_t r = 0; r < p_.regions.size(); ++r) {
      if (!changes_[r]) continue;
      for (uint32_t m = 0; m < p_.regions[r].members; ++m) region_of_[p_.regions[r].first_member + m] = r;
    }
    new_.assign(p_.tasks.size(), kNone);
    out_.regions = p_.regions;
    for (uint32_t t = 0; t < p_.tasks.size(); ++t) {
      const uint32_t r = region_of_[t];
      if (r == kNone) {
        new_[t] = uint32_t(out_.tasks.size());
        out_.tasks.push_back(p_.tasks[t]);
      } else if (t == p_.regions[r].first_member) {
        const auto first = uint32_t(out_.tasks.size());
        out_.regions[r].first_member = first, out_.regions[r].members = n_;
        for (uint32_t m = 0; m < n_; ++m) {
          Task task = p_.tasks[t];
          task.grain = m < p_.regions[r].members ? p_.tasks[t + m].grain : kNone;
          out_.tasks.push_back(task);
        }
        for (uint32_t m = 0; m < p_.regions[r].members; ++m) new_[t + m] = first + m % n_;
      }
    }
    for (uint32_t r = 0; r < p_.regions.size(); ++r)
      if (!changes_[r]) out_.regions[r].first_member = new_[p_.regions[r].first_member];
    for (Task& t : out_.tasks) {
      if (t.parent != kNone) t.parent = new_[t.parent];
      const uint32_t first = uint32_t(out_.successors.size());
      for (uint32_t i = 0; i < t.successors; ++i) out_.successors.push_back(new_[p_.successors[t.first_successor + i]]);
      t.first_successor = first;
    }
  }

  Step renumbered(Step s) const {
    if (s.kind == StepKind::fork || s.kind == StepKind::release) s.ref = new_[s.ref];
    return s;
  }

  void divide(uint32_t r) {
    const Region& old = p_.regions[r];
    all_do_ = old.plain == Region::Plain::repeated || (alike_ && old.plain == Region::Plain::unknown);
    std::vector<std::vector<Stretch>> members(old.members);  // [member][stretch]
    size_t stretches = 1;
    std::vector<Step> barriers;  // of the first member, in order: the others' follow
    for (uint32_t m = 0; m < old.members; ++m) {
      const Task& t = p_.tasks[old.first_member + m];
      members[m].emplace_back();
      for (uint32_t i = 0; i < t.steps; ++i) {
        const Step& s = p_.steps[t.first_step + i];
        if (s.kind == StepKind::barrier) members[m].emplace_back(), barriers.push_back(s);
        else members[m].back().push_back(s);
      }
      stretches = std::max(stretches, members[m].size());
    }
    const uint32_t first = out_.regions[r].first_member;
    for (size_t k = 0; k + 1 < stretches; ++k) {  // behind the last barrier is nothing
      divide_stretch(members, k, first);
      for (uint32_t m = 0; m < n_; ++m) steps_[first + m].push_back(barriers[k]);
    }
  }

  void divide_stretch(const std::vector<std::vector<Stretch>>& members, size_t k, uint32_t first) {
    CutLine line(p_);
    std::vector<double> time(members.size(), 0);
    std::vector<uint32_t> loops;  // that the members take part in, in order
    bool plain = true;            // nothing but time and loops
    bool near = false;            // they wait for each other's steps
    for (size_t m = 0; m < members.size(); ++m) {
      line.begin(1);
      if (k >= members[m].size()) continue;
      plain &= !holds_over(members[m][k]);
      for (const Step& s : members[m][k]) {
        if (s.kind == StepKind::compute) time[m] += s.ns, line.add(s.ns, s.memory, s.ref);
        if (s.kind == StepKind::loop && std::find(loops.begin(), loops.end(), s.ref) == loops.end())
          loops.push_back(s.ref);
        plain &= s.kind == StepKind::compute || s.kind == StepKind::loop;
        near |= s.kind == StepKind::await;
      }
    }
    if (near && members.size() != n_) {
      if (!divide_phases(members, k, first)) take_turns(members, k, first);
      return join_loops(loops, first);
    }
    if (!plain) {
      for (size_t m = 0; m < members.size(); ++m)
        if (k < members[m].size())
          for (const Step& s : members[m][k]) steps_[first + m % n_].push_back(renumbered(s));
      return join_loops(loops, first);
    }
    if (all_do_) {
      for (uint32_t m = 0; m < n_; ++m)
        if (const auto& its = members[m % members.size()]; k < its.size())
          for (const Step& s : its[k])
            if (s.kind == StepKind::compute) steps_[first + m].push_back(s);
      return join_loops(loops, first);
    }
    const double all = std::accumulate(time.begin(), time.end(), 0.0);
    const auto most = std::max_element(time.begin(), time.end());
    constexpr double kNearlyAll = 0.9;
    if (all > 0 && members.size() > 1 && *most >= kNearlyAll * all) {
      // Of one member: a single construct, or the code before a loop. Beside a loop, all run it: nobody can tell.
      for (const Step& s : members[size_t(most - time.begin())][k])
        if (s.kind == StepKind::compute) steps_[first].push_back(s);
    } else if (all > 0) {
      const std::vector<CutLine::Piece> parts = line.cut(n_, out_.lock_points);
      for (uint32_t m = 0; m < n_; ++m) steps_[first + m].push_back(stretch(parts[m], line.memory()));
    }
    join_loops(loops, first);
  }

  // A lock is taken here and released behind a barrier, or was taken before one.
  bool holds_over(const Stretch& stretch) const {
    std::vector<uint32_t> held;
    for (const Step& s : stretch)
      for (uint32_t i = s.kind == StepKind::compute ? s.ref : kNone; i != kNone;
           i = p_.lock_points[i].last ? kNone : i + 1) {
        const LockPoint& p = p_.lock_points[i];
        if (p.lock == kNone || p.step) continue;
        const auto at = std::find(held.begin(), held.end(), p.lock);
        if (p.taken) held.push_back(p.lock);
        else if (at == held.end()) return true;
        else held.erase(at);
      }
    return !held.empty();
  }

  // What a member does up to where it waits for others: before others may go on, and after that.
  struct Phase {
    Stretch before, after, awaits;
  };

  // The work of each phase is dealt out anew, and each member waits for those beside it. False: not all go through as
  // many phases, or there is more than their work in them.
  bool divide_phases(const std::vector<std::vector<Stretch>>& members, size_t k, uint32_t first) {
    std::vector<std::vector<Phase>> phases(members.size());
    std::vector<uint32_t> poster(p_.signals, kNone);
    for (uint32_t m = 0; m < members.size(); ++m) {
      if (k >= members[m].size()) return false;
      bool posted = false;
      phases[m].emplace_back();
      for (const Step& s : members[m][k]) {
        if (!phases[m].back().awaits.empty() && s.kind != StepKind::await) phases[m].emplace_back(), posted = false;
        Phase& now = phases[m].back();
        if (s.kind == StepKind::compute) (posted ? now.after : now.before).push_back(s);
        else if (s.kind == StepKind::await) now.awaits.push_back(s);
        else if (s.kind != StepKind::post || std::exchange(posted, true)) return false;
        if (s.kind == StepKind::post) poster[s.ref] = m;
      }
      if (!phases[m].back().awaits.empty()) phases[m].emplace_back();
      if (phases[m].size() != phases[0].size()) return false;
    }
    const auto last = uint32_t(members.size() - 1);
    bool ring = false;
    for (const Phase& f : phases[0])
      for (const Step& s : f.awaits) ring |= last > 1 && poster[s.ref] == last;
    for (size_t i = 0; i < phases[0].size(); ++i) {
      deal_out(phases, i, &Phase::before, first);
      const uint32_t signals = out_.signals;
      const bool waits = i + 1 < phases[0].size();
      for (uint32_t m = 0; m < n_ && waits; ++m) add(first + m, StepKind::post, out_.signals++);
      deal_out(phases, i, &Phase::after, first);
      for (uint32_t m = 0; m < n_ && waits; ++m) {
        if (m > 0 || (ring && n_ > 2)) add(first + m, StepKind::await, signals + (m + n_ - 1) % n_);
        if (m + 1 < n_ || (ring && n_ > 2)) add(first + m, StepKind::await, signals + (m + 1) % n_);
      }
    }
    return true;
  }
  void add(uint32_t member, StepKind kind, uint32_t signal) { steps_[member].push_back({kind, signal, 0, 0, 0}); }
  void deal_out(const std::vector<std::vector<Phase>>& phases, size_t i, Stretch Phase::* part, uint32_t first) {
    CutLine line(p_);
    double all = 0;
    for (const auto& of_member : phases) {
      line.begin(1);
      for (const Step& s : of_member[i].*part) line.add(s.ns, s.memory, s.ref), all += s.ns;
    }
    if (all <= 0) return;
    const std::vector<CutLine::Piece> parts = line.cut(n_, out_.lock_points);
    for (uint32_t m = 0; m < n_; ++m) steps_[first + m].push_back(stretch(parts[m], line.memory()));
  }

  // As they are; of several that are one thread's now each goes as far as it can before the next one does.
  void take_turns(const std::vector<std::vector<Stretch>>& members, size_t k, uint32_t first) {
    std::vector<size_t> at(members.size(), 0);
    std::vector<uint8_t> posted(p_.signals, 0);
    for (size_t left = members.size(); left > 0;) {
      bool moved = false;
      left = 0;
      for (size_t m = 0; m < members.size(); ++m) {
        const size_t end = k < members[m].size() ? members[m][k].size() : 0;
        for (; at[m] < end; ++at[m], moved = true) {
          const Step& s = members[m][k][at[m]];
          if (s.kind == StepKind::await && !posted[s.ref]) break;
          if (s.kind == StepKind::post) posted[s.ref] = 1;
          steps_[first + m % n_].push_back(renumbered(s));
        }
        left += at[m] < end;
      }
      // In a damaged recording they may wait for what never comes.
      for (size_t m = 0; m < members.size() && !moved; ++m)
        if (k < members[m].size() && at[m] < members[m][k].size()) ++at[m], moved = true;
    }
  }

  // Every member takes part in every loop of its team; who was not there yet comes to it now.
  void join_loops(const std::vector<uint32_t>& loops, uint32_t first) {
    for (uint32_t m = 0; m < n_; ++m)
      for (const uint32_t l : loops) {
        auto& steps = steps_[first + m];
        const bool there = std::any_of(steps.begin(), steps.end(),
                                       [&](const Step& s) { return s.kind == StepKind::loop && s.ref == l; });
        if (!there) steps.push_back({StepKind::loop, l, 0, 0, 0});
      }
  }

  // A static loop of which no more is known than one chunk a thread: in pieces, of which each member gets as many. A
  // guided one, whose chunks follow from the number of threads: as that many get them, by its rule. In an ordered one a
  // chunk keeps its turn to its end: it stays whole.
  void cut_loops() {
    // Of a region that keeps its members they are as they were.
    std::vector<uint8_t> keeps(p_.loops.size(), 0);
    for (uint32_t t = 0; t < p_.tasks.size(); ++t)
      for (uint32_t i = 0; i < p_.tasks[t].steps && region_of_[t] == kNone; ++i)
        if (const Step& s = p_.steps[p_.tasks[t].first_step + i]; s.kind == StepKind::loop) keeps[s.ref] = 1;
    for (const Loop& l : p_.loops) {
      Loop made = l;
      const bool kept = keeps[size_t(&l - p_.loops.data())];
      made.first_chunk = uint32_t(out_.chunks.size());
      const bool by_rule =
          !kept && l.schedule == LoopSchedule::by_rule && !l.ordered && l.members != n_ && l.members > 0;
      const bool even = !kept && l.schedule == LoopSchedule::fixed && !l.ordered && l.chunks % n_ != 0;
      if (l.chunks > 0 && (by_rule || even)) {
        CutLine line(p_);
        uint64_t iterations = 0;
        for (uint32_t i = 0; i < l.chunks; ++i) {
          const Chunk& c = p_.chunks[l.first_chunk + i];
          line.begin(even ? 1 : double(c.iterations));
          line.add(c.ns, c.memory, c.locks);
          iterations += c.iterations;
        }
        const std::vector<uint64_t> sizes = even ? std::vector<uint64_t>(n_, 1) : sizes_by_rule(l, iterations);
        std::vector<double> lengths(sizes.begin(), sizes.end());
        if (even) lengths.assign(n_, double(l.chunks) / n_);
        const std::vector<CutLine::Piece> parts = line.cut(lengths, out_.lock_points);
        for (size_t i = 0; i < parts.size(); ++i)
          out_.chunks.push_back({parts[i].ns, 0, 0, line.memory(), parts[i].locks, sizes[i], 0});
        if (by_rule) made.members = n_, made.own_firsts = l.rule == schedule::kGuidedRule;
      } else {
        out_.chunks.insert(out_.chunks.end(), p_.chunks.begin() + l.first_chunk,
                           p_.chunks.begin() + l.first_chunk + l.chunks);
      }
      made.chunks = uint32_t(out_.chunks.size()) - made.first_chunk;
      out_.loops.push_back(made);
    }
  }

  std::vector<uint64_t> sizes_by_rule(const Loop& l, uint64_t iterations) const {
    const schedule::LoopShape shape{iterations, n_, l.least, l.whole};
    std::vector<uint64_t> out;
    for (uint64_t first = 0; first < iterations; first += out.back())
      out.push_back(schedule::kLoopRules[l.rule].count(shape, first));
    return out;
  }

  const Program& p_;
  const uint32_t n_;
  const bool alike_;
  Program out_;
  bool all_do_ = false;                   // of the region at hand: what one member does outside of loops, all do
  std::vector<uint8_t> changes_;          // by region
  std::vector<uint32_t> region_of_;       // by old task: the changing region it is a member of
  std::vector<uint32_t> new_;             // old task -> new
  std::vector<std::vector<Step>> steps_;  // by new task
};

}  // namespace

Program with_members(const Program& program, uint32_t members, bool alike) {
  return Members(program, members, alike).run();
}

}  // namespace einkorn::simulate

#include "compiler/flow.h"

#include <algorithm>
#include <map>
#include <string>

namespace einkorn::compiler {

namespace {

using Set = std::set<int>;  // codelets that control may be in

void add(Set& to, const Set& more) { to.insert(more.begin(), more.end()); }

class Flowing {
 public:
  explicit Flowing(const Plan& plan) : plan_(plan), f_(*plan.function) {}

  std::set<std::pair<int, int>> run() {
    const Directive& region = f_.directives[size_t(plan_.region)];
    const Flow* body = is_function(plan_) ? &f_.flow : find(f_.flow, region.pragma.begin);
    if (!body) return {};
    // Jumps lead back: until nothing is new.
    for (size_t known = ~size_t{0}; known != size();) {
      known = size();
      Set end = go(*body, {0});
      add(end, returns_);
      meet(end, int(plan_.syncs.size()));
    }
    return arcs_;
  }

 private:
  size_t size() const {
    size_t n = arcs_.size() + returns_.size();
    for (const auto& [name, codelets] : labels_) n += codelets.size();
    return n;
  }
  void meet(const Set& codelets, int sync) {
    for (const int codelet : codelets) arcs_.emplace(codelet, sync);
  }
  // The statement of the directive that stands there.
  static const Flow* find(const Flow& in, uint32_t pragma) {
    if (in.kind == Flow::directive && in.at == pragma) return in.parts.empty() ? nullptr : in.parts.data();
    for (const Flow& part : in.parts)
      if (const Flow* found = find(part, pragma)) return found;
    return nullptr;
  }

  Set go(const Flow& at, Set in) {
    switch (at.kind) {
      case Flow::plain: return call(at, in);
      case Flow::list:
        for (const Flow& part : at.parts) in = go(part, std::move(in));
        return in;
      case Flow::branch: {
        Set out = at.may_skip ? in : Set{};
        for (const Flow& part : at.parts) add(out, go(part, in));
        return out;
      }
      case Flow::loop: return loop(at, in);
      case Flow::select: {
        Set breaks, entries = in;
        std::swap(breaks, breaks_);
        std::swap(entries, entries_);
        Set out = at.parts.empty() ? in : go(at.parts[0], {});
        add(out, breaks_);
        if (at.may_skip) add(out, in);
        breaks_ = std::move(breaks);
        entries_ = std::move(entries);
        return out;
      }
      case Flow::entry: return add(in, entries_), in;
      case Flow::label: return add(labels_[at.name], in), labels_[at.name];
      case Flow::jump: return add(labels_[at.name], in), Set{};
      case Flow::next: return add(nexts_, in), Set{};
      case Flow::out: return add(breaks_, in), Set{};
      case Flow::back: return add(returns_, call(at, in)), Set{};
      case Flow::directive: return directive(at, in);
    }
    return in;
  }

  Set loop(const Flow& at, const Set& in) {
    Set breaks, nexts, begin = in, end;
    std::swap(breaks, breaks_);
    std::swap(nexts, nexts_);
    for (size_t known = ~size_t{0}; known != begin.size();) {
      known = begin.size();
      end = at.parts.empty() ? begin : go(at.parts[0], begin);
      add(end, nexts_);
      add(begin, end);
    }
    Set out = breaks_;
    if (!at.is_endless) add(out, at.may_skip ? begin : end);
    breaks_ = std::move(breaks);
    nexts_ = std::move(nexts);
    return out;
  }

  Set call(const Flow& at, Set in) {
    for (size_t s = 0; s < plan_.syncs.size(); ++s) {
      const Sync& sync = plan_.syncs[s];
      if (sync.call >= 0 && f_.calls[size_t(sync.call)].whole.begin == at.at) in = pass(std::move(in), int(s));
    }
    return in;
  }
  Set pass(Set in, int sync) {
    if (in.empty()) return in;
    meet(in, sync);
    return {sync + 1};
  }

  Set directive(const Flow& at, const Set& in) {
    int number = -1;
    for (int i = 0; i < int(f_.directives.size()); ++i)
      if (f_.directives[size_t(i)].kind != Directive::function && f_.directives[size_t(i)].pragma.begin == at.at)
        number = i;
    if (number < 0) return at.parts.empty() ? in : go(at.parts[0], in);
    const Directive& d = f_.directives[size_t(number)];
    Set out = in;
    // What a task does, and the threads of another region do, the instance does not.
    if (!d.task && d.kind != Directive::invoke && !is_parallel(d) && !at.parts.empty()) add(out, go(at.parts[0], in));
    for (size_t s = 0; s < plan_.syncs.size(); ++s)
      if (plan_.syncs[s].directive == number) out = pass(std::move(out), int(s));
    return out;
  }

  const Plan& plan_;
  const Function& f_;
  std::set<std::pair<int, int>> arcs_;
  std::map<std::string, Set> labels_;
  Set returns_, breaks_, nexts_, entries_;
};

// Ways through the text, each loop once, by what lies on them: neither of the two places, or one.
class Passing {
 public:
  Passing(uint32_t one, uint32_t other) : one_(one), other_(other) {}

  bool meets_both(const Flow& body) {
    go(body, {true, false, false});
    return both_;
  }

 private:
  struct Ways {
    bool neither = false, one = false, other = false;

    Ways operator|(const Ways& w) const { return {neither || w.neither, one || w.one, other || w.other}; }
  };

  Ways go(const Flow& at, Ways in) {
    if (at.parts.empty() || at.kind == Flow::directive) in = pass(at, in);
    switch (at.kind) {
      case Flow::jump: return jumps_[at.name] = jumps_[at.name] | in, Ways{};
      case Flow::label: return in | jumps_[at.name];
      case Flow::back: return {};
      case Flow::next: return nexts_ = nexts_ | in, Ways{};
      case Flow::out: return breaks_ = breaks_ | in, Ways{};
      case Flow::entry: return in | entries_;
      case Flow::branch: {
        Ways out = at.may_skip ? in : Ways{};
        for (const Flow& part : at.parts) out = out | go(part, in);
        return out;
      }
      case Flow::loop:
      case Flow::select: return around(at, in);
      default:
        for (const Flow& part : at.parts) in = go(part, in);
        return in;
    }
  }
  Ways around(const Flow& at, const Ways& in) {
    const bool is_loop = at.kind == Flow::loop;
    const Ways breaks = breaks_, nexts = nexts_, entries = entries_;
    breaks_ = {};
    if (is_loop) nexts_ = {};
    else entries_ = in;
    Ways out = at.may_skip ? in : Ways{};
    for (const Flow& part : at.parts) out = out | go(part, is_loop ? in : Ways{});
    out = out | breaks_;
    if (is_loop) out = out | nexts_;
    breaks_ = breaks;
    if (is_loop) nexts_ = nexts;
    else entries_ = entries;
    return out;
  }
  Ways pass(const Flow& at, const Ways& in) {
    if (at.at != one_ && at.at != other_) return in;
    const bool is_one = at.at == one_;
    both_ |= is_one ? in.other : in.one;
    return is_one ? Ways{false, in.neither || in.one, false} : Ways{false, false, in.neither || in.other};
  }

  const uint32_t one_, other_;
  Ways breaks_, nexts_, entries_;
  std::map<std::string, Ways> jumps_;  // from before their labels
  bool both_ = false;
};

bool has_any(const Flow& at, const std::set<uint32_t>& places) {
  return (at.parts.empty() || at.kind == Flow::directive) && places.count(at.at) != 0
             ? true
             : std::any_of(at.parts.begin(), at.parts.end(), [&](const Flow& part) { return has_any(part, places); });
}

}  // namespace

std::set<std::pair<int, int>> arcs_of(const Plan& plan) { return Flowing(plan).run(); }
bool can_do_both(const Flow& body, uint32_t one, uint32_t other) { return Passing(one, other).meets_both(body); }
bool is_instead(const Flow& body, uint32_t one, const std::set<uint32_t>& others) {
  for (const Flow& part : body.parts) {
    if (!has_any(part, {one})) continue;
    if (body.kind == Flow::branch)
      for (const Flow& other : body.parts)
        if (&other != &part && has_any(other, others)) return true;
    return is_instead(part, one, others);
  }
  return false;
}

}  // namespace einkorn::compiler

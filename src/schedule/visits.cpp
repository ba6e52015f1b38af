#include "schedule/visits.h"

#include <algorithm>

#include "schedule/push.h"
#include "schedule/ws_search.h"

namespace einkorn::schedule {

bool is_across(const Schedule& s, const Layout& l, const Layout::Worker& w, const Place& p) {
  return s.reach == Reach::vicinity && !l.order.empty() && p.first / s.vicinity != w.rank / s.vicinity;
}

bool keeps_tasks(const Schedule& s) { return s.reach != Reach::loose || s.guard > 0 || has_two_levels(s); }

bool is_closed(const Schedule& s) {
  const bool by_kind =
      s.select == Select::random_node || s.select == Select::core_only || s.select == Select::node_only;
  return keeps_tasks(s) || s.select == Select::none || (by_kind && s.places == Places::core_node);
}

namespace {

// A codelet stays in its cluster; a procedure that has not begun goes as far as tp-reach says.
bool within_levels(const Schedule& s, const Layout::Worker& w, const Place& p) {
  if (p.cluster == w.cluster) return true;
  if (p.kind != PlaceKind::procedures || s.tp_reach == TpReach::cluster) return false;
  return s.tp_reach == TpReach::loose || p.node == w.node;
}

// What reach and guard say.
bool within_reach(const Schedule& s, const Layout& l, const Layout::Worker& w, const Place& p, uint32_t length) {
  if (s.reach == Reach::strict && p.node != w.node) return false;
  if (is_across(s, l, w, p) || (has_two_levels(s) && !within_levels(s, w, p))) return false;
  if (s.guard > 0 && p.node >= 0 && p.node != w.node) {
    const auto workers = float(l.nodes[size_t(w.node)].workers);
    if (float(length) <= s.guard * l.distance_between(w.node, p.node) * workers) return false;
  }
  return true;
}

// On other nodes random_node and node_only look into those nodes' queues alone, core_only into their cores' alone.
bool looks_into(Select select, const Layout& l, const Place& p) {
  if (p.node < 0) return true;
  const Layout::Node& n = l.nodes[size_t(p.node)];
  if (select == Select::random_node || select == Select::node_only) return n.whole < 0 || p.kind == PlaceKind::node;
  return select != Select::core_only || p.kind != PlaceKind::node;
}

}  // namespace

bool may_take(const Schedule& s, const Layout& l, int worker, int place, uint32_t length) {
  const Layout::Worker& w = l.workers[size_t(worker)];
  if (place == w.own[0] || place == w.own[1]) return true;
  if (s.select == Select::none) return false;
  const Place& p = l.places[size_t(place)];
  return (p.node == w.node || looks_into(s.select, l, p)) && within_reach(s, l, w, p, length);
}

bool may_run_instead(const Schedule& s, const Layout& l, int worker, int place, const TaskFacts& t) {
  const Layout::Worker& w = l.workers[size_t(worker)];
  if (place == w.own[0] || place == w.own[1]) return true;
  const Place& p = l.places[size_t(place)];
  const bool by_node = t.domain >= 0 && !(t.codelet && has_two_levels(s));  // as choose_place() goes by them
  const bool by_cluster = t.cluster >= 0 && p.cluster >= 0 && (t.codelet || s.tp_push == TpPush::named);
  if (by_node || (by_cluster && p.cluster != w.cluster) || s.reach != Reach::loose) return false;
  return !has_two_levels(s) || within_levels(s, w, p);
}

Search::Search(const Context& c, Who who, bool all, const LeftOut& left) : c_(c), who_(who), all_(all), left_(left) {}

bool Search::is_own(int place) const {
  const Layout::Worker& w = c_.self();
  return place == w.own[0] || place == w.own[1];
}

bool Search::may_visit(int place, uint32_t length) const {
  // With select = none only who waits in a task gets here, and looks everywhere.
  if (c_.schedule.select == Select::none)
    return within_reach(c_.schedule, c_.layout, c_.self(), c_.layout.places[size_t(place)], length);
  return may_take(c_.schedule, c_.layout, c_.worker, place, length);
}

uint32_t Search::amount(uint32_t length) const {
  const Schedule& s = c_.schedule;
  switch (s.take) {
    case Take::one: return 1;
    case Take::quarter: return steal_amount(length, length);
    case Take::half: return (length + 1) / 2;
    case Take::number: return uint32_t(s.take_number);
    case Take::per_worker: return uint32_t(c_.layout.places[size_t(c_.self().own[0])].workers);
  }
  return 1;
}

bool Search::next(Visit* visit) {
  const Layout::Worker& w = c_.self();
  while (!others_) {
    if (own_at_ == w.own_count) {
      if (who_ == Who::own_only || (c_.schedule.select == Select::none && who_ != Who::in_task)) return false;
      others_ = true;
      break;
    }
    int place = w.own[own_at_++];
    // Neighbours first: the node's own place comes after their cores (next_of_nodes()).
    if (own_at_ == 2 && c_.schedule.select == Select::core_then_node && who_ != Who::own_only) continue;
    if (left_.level[kWithin] && c_.layout.places[size_t(place)].kind == PlaceKind::cluster) continue;
    if (c_.view.length(place) > 0) return *visit = {place, 1, true}, true;
  }
  for (int place; (place = next_place()) >= 0;) {
    uint32_t length = c_.view.length(place);
    if (length == 0) continue;
    if (is_own(place)) {
      if (c_.schedule.select == Select::core_then_node && place == w.own[1]) return *visit = {place, 1, true}, true;
      continue;
    }
    if (left_.level[c_.layout.places[size_t(place)].cluster == w.cluster ? kWithin : kBeyond]) continue;
    if (may_visit(place, length)) return *visit = {place, std::min(amount(length), kMostAtOnce), false}, true;
  }
  return false;
}

int Search::next_place() {
  const SelectRule& rule = kSelectRules[int(c_.schedule.select)];
  const auto places = int(c_.layout.places.size());
  if (!rule.covers && all_) {
    if (round_.asked++ == 0) round_.sweep.begin(0, places, 0);
    return round_.sweep.next();
  }
  if (!rule.covers && round_.asked >= places) return -1;
  const int place = rule.next(c_, round_);
  ++round_.asked;
  return place;
}

}  // namespace einkorn::schedule

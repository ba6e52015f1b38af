// Tables as dictionaries of arrays that look into the structures themselves.
#include "core.h"
#include <limits>

namespace einkorn::python {

namespace {

using profile::Edge;
using profile::Grain;
using profile::Node;
using profile::Region;

nb::dict grains(nb::handle self) {
  const auto& t = nb::cast<const Recording&>(self).p.grains;
  nb::dict d;
  d["id_high"] = member(t, &Grain::id_high, self);
  d["id_low"] = member(t, &Grain::id_low, self);
  d["parent"] = member(t, &Grain::parent, self);
  d["kind"] = member(t, reinterpret_cast<const uint8_t Grain::*>(&Grain::kind), self);
  d["ordinal"] = member(t, &Grain::ordinal, self);
  d["depth"] = member(t, &Grain::depth, self);
  d["children"] = member(t, &Grain::children, self);
  d["source"] = member(t, &Grain::source, self);
  d["region"] = member(t, &Grain::region, self);
  d["loop"] = member(t, &Grain::loop, self);
  d["first_iteration"] = member(t, &Grain::first_iteration, self);
  d["iterations"] = member(t, &Grain::iterations, self);
  d["thread"] = member(t, &Grain::thread, self);
  d["creator"] = member(t, &Grain::creator, self);
  d["cpu"] = member(t, &Grain::cpu, self);
  d["node"] = member(t, &Grain::node, self);
  d["creator_node"] = member(t, &Grain::creator_node, self);
  d["flags"] = member(t, &Grain::flags, self);
  d["create_begin"] = member(t, &Grain::create_begin, self);
  d["create_cost"] = member(t, &Grain::create_cost, self);
  d["begin"] = member(t, &Grain::begin, self);
  d["end"] = member(t, &Grain::end, self);
  d["exec"] = member(t, &Grain::exec, self);
  d["wait"] = member(t, &Grain::wait, self);
  d["fragments"] = member(t, &Grain::fragments, self);
  d["footprint"] = member(t, &Grain::footprint, self);
  return d;
}

nb::dict footprints(nb::handle self) {
  using profile::Footprint;
  const auto& t = nb::cast<const Recording&>(self).p.footprints;
  nb::dict d;
  d["bytes"] = member(t, &Footprint::bytes, self);
  d["known"] = member(t, &Footprint::known, self);
  d["remote"] = member(t, &Footprint::remote, self);
  d["written"] = member(t, &Footprint::written, self);
  d["remote_written"] = member(t, &Footprint::remote_written, self);
  return d;
}

// By grain, as grains(); empty columns where accesses were not counted.
nb::dict accesses(nb::handle self) {
  using profile::Accesses;
  const auto& t = nb::cast<const Recording&>(self).p.accesses;
  nb::dict d;
  d["loads"] = member(t, &Accesses::loads, self);
  d["stores"] = member(t, &Accesses::stores, self);
  d["stack_loads"] = member(t, &Accesses::stack_loads, self);
  d["stack_stores"] = member(t, &Accesses::stack_stores, self);
  d["read"] = member(t, &Accesses::read, self);
  d["written"] = member(t, &Accesses::written, self);
  d["lines"] = member(t, &Accesses::lines, self);
  return d;
}

// By counter, by grain, as grains(); not known: NaN. Empty where threads' counters were not read.
nb::dict counters(nb::handle self) {
  const profile::CountedEvents& counted = nb::cast<const Recording&>(self).p.counted;
  nb::dict d;
  for (size_t i = 0; counted.any() && i < counted.counters.size(); ++i) {
    std::vector<double> values;
    values.reserve(counted.grains.size());
    for (const profile::Counts& c : counted.grains)
      values.push_back(c.values[i] == record::kUncounted ? std::numeric_limits<double>::quiet_NaN()
                                                         : double(c.values[i]));
    d[record::counter_info(counted.counters[i]).key] = keep(std::move(values));
  }
  return d;
}

// What was counted, not recorded one by one: a place below a grain each.
nb::dict aggregates(nb::handle self) {
  using profile::Aggregate;
  const auto& t = nb::cast<const Recording&>(self).p.aggregates;
  nb::dict d;
  d["grain"] = member(t, &Aggregate::grain, self);
  d["source"] = member(t, &Aggregate::source, self);
  d["chunks"] = member(t, reinterpret_cast<const uint8_t Aggregate::*>(&Aggregate::chunks), self);
  d["created"] = member(t, &Aggregate::created, self);
  d["executed"] = member(t, &Aggregate::executed, self);
  d["exec"] = member(t, &Aggregate::exec, self);
  d["least"] = member(t, &Aggregate::least, self);
  d["most"] = member(t, &Aggregate::most, self);
  return d;
}

nb::dict regions(nb::handle self) {
  const auto& t = nb::cast<const Recording&>(self).p.regions;
  nb::dict d;
  d["parent_grain"] = member(t, &Region::parent_grain, self);
  d["source"] = member(t, &Region::source, self);
  d["ordinal"] = member(t, &Region::ordinal, self);
  d["team"] = member(t, &Region::team, self);
  d["level"] = member(t, &Region::level, self);
  d["begin"] = member(t, &Region::begin, self);
  d["end"] = member(t, &Region::end, self);
  return d;
}

nb::dict nodes(nb::handle self) {
  const auto& t = nb::cast<const Recording&>(self).p.graph.nodes;
  nb::dict d;
  d["kind"] = member(t, reinterpret_cast<const uint8_t Node::*>(&Node::kind), self);
  d["critical"] = member(t, reinterpret_cast<const uint8_t Node::*>(&Node::critical), self);
  d["grain"] = member(t, &Node::grain, self);
  d["source"] = member(t, &Node::source, self);
  d["thread"] = member(t, &Node::thread, self);
  d["begin"] = member(t, &Node::begin, self);
  d["weight"] = member(t, &Node::weight, self);
  return d;
}

nb::dict edges(nb::handle self) {
  const auto& t = nb::cast<const Recording&>(self).p.graph.edges;
  nb::dict d;
  d["from"] = member(t, &Edge::from, self);
  d["to"] = member(t, &Edge::to, self);
  d["kind"] = member(t, reinterpret_cast<const uint8_t Edge::*>(&Edge::kind), self);
  return d;
}

}  // namespace

void add_columns(nb::class_<Recording>& c) {
  c.def("grains", &grains)
      .def("footprints", &footprints)
      .def("accesses", &accesses)
      .def("counters", &counters)
      .def("aggregates", &aggregates)
      .def("regions", &regions)
      .def("nodes", &nodes)
      .def("edges", &edges);
}

}  // namespace einkorn::python

// What a machine's model says of its memory, as rates in bytes a ns and latencies in ns; and what is taken where it
// says nothing.
#pragma once
#include "machine/types.h"

namespace einkorn::simulate {

// Are the bandwidths known at all? Else a link gives 1, and one core takes all of it.
bool rates_known(const machine::Machine& m);
// What all cores of node `from` together have from node `memory`: the link, or the own memory.
double link_rate(const machine::Machine& m, int from, int memory);
// What one core alone has of it.
double stream_rate(const machine::Machine& m, int from, int memory);
// How fast one core alone has bytes of its own node's memory; each of n cores of one node.
inline double rate_of_one(const machine::Machine& m, int node = 0) {
  return rates_known(m) ? stream_rate(m, node, node) : 1;
}
double rate_of_each(const machine::Machine& m, double cores, int node = 0);
// 0 where the model has none.
double latency(const machine::Machine& m, int from, int memory);

// A load that finds its data in a cache is so many times as fast as one core's stream from its own memory. Of the order
// that computers of the last fifteen years have; no model says more.
inline constexpr double kOwnCacheSpeed = 8, kSharedCacheSpeed = 3;

}  // namespace einkorn::simulate

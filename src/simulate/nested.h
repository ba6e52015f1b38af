// Regions inside of others, and what a replay does not have.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/types.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// By region: is it of one member, and inside of another one, or is one of several in it? It is its caller's code then:
// the first are not active with any number of threads, of the second the inner one has all of a replay's.
std::vector<uint8_t> regions_of_callers(const profile::Profile& p, const std::vector<uint32_t>& members);

// How a region's plain work would be shared by another number of threads.
Region::Plain plain_of(const profile::Profile& p, uint32_t region);

// Stops of single grains (profile::Stop), in the longest node of each: no run has them again.
std::unordered_map<uint32_t, int64_t> nodes_stopped(const profile::Profile& p);

// What of a recording cannot be replayed, without a stop; empty: all of it can.
std::string why_no_replay(const profile::Profile& p);

}  // namespace einkorn::simulate

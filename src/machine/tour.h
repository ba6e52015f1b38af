// The order in which a place list visits the nodes: a short cycle through all of them, because the list wraps round and
// neighbours in it are to be neighbours in the machine. Schmidl 2016, 3.2: a travelling salesman.
#pragma once
#include <vector>

#include "machine/types.h"

namespace einkorn::machine {

// Distances are n x n as Machine::distance has them: distance[a * n + b], from a to b.

// Length of the cycle, in its own direction.
double tour_length(const std::vector<float>& distance, const std::vector<int>& order);

// From node 0, always on to the nearest that is left; of equals the first.
std::vector<int> greedy_tour(const std::vector<float>& distance, int n);

// Christofides: a minimum spanning tree and a minimum matching of its odd nodes, over the mean of both directions. At
// most 1.5 times the shortest where the triangle inequality holds. With more than `exact` odd nodes the matching is
// greedy, improved by exchanges of two pairs, and *matched is set to false (then there is no bound).
std::vector<int> christofides_tour(const std::vector<float>& distance, int n, bool* matched = nullptr, int exact = 16);

// The shortest one there is (Held and Karp). Takes 2^n n^2 steps, some 10 ms for 16: n up to kMostExact.
inline constexpr int kMostExact = 16;
std::vector<int> shortest_tour(const std::vector<float>& distance, int n);

struct Tour {
  std::vector<int> nodes;
  double length = 0;
  const char* how = "";   // "machine's order", "greedy", "Christofides", "exact"
  bool shortest = false;  // known to be the shortest
};
// The shortest tour of the nodes that have CPUs, among the machine's own order, greedy, Christofides and, for up to
// kMostExact nodes, all tours; of equals the first.
Tour place_tour(const Machine& m);

}  // namespace einkorn::machine

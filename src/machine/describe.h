// A machine for people: as text, and as a picture.
#pragma once
#include <string>

#include "machine/types.h"

namespace einkorn::machine {

// What `einkorn machine` prints: structure, distances, latency and bandwidth where known, the tour of the places over
// the nodes.
std::string describe(const Machine& m);

// A self-contained SVG document: sockets, nodes, caches and cores, and the distances as shades. It adapts to light and
// dark surroundings, and can stand in a page as it is.
std::string picture(const Machine& m);

// "18 MiB", of bytes; "16 GB/s", of bytes a second.
std::string bytes_text(uint64_t bytes);
std::string rate_text(double bytes_per_second);
// "0-7,16-23"
std::string list_text(const std::vector<int>& numbers);

}  // namespace einkorn::machine

// Memory accesses of a recording (docs/grain-file.md, section 5): from the file's stretches to grains and source lines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include "profile/raw.h"
#include "profile/symbols.h"
#include "profile/ticks.h"

namespace einkorn::profile {

// Reads one `accesses` block. False: it is damaged; what precedes the damage is kept.
bool decode_accesses(std::span<const std::byte> payload, uint32_t thread, const Ticks&, Recording&);
uint64_t bytes_of_accesses(const Recording&);

// Fills in Profile::accesses and access_uses. Called after link(), which gives each step its grain. `lines`, where
// given, gets the place of each access.
void attach_accesses(const Recording&, Symbolizer&, SourceLines* lines, Profile&);

// Gives `to` the accesses of the same grains in `from`, another recording of the program: it then has its own times and
// the other's counts. Returns the part of from's accesses whose grain was found; if that is below 95 %, nothing is
// changed.
double borrow_accesses(const Profile& from, Profile& to);

}  // namespace einkorn::profile

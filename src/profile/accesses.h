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

// One `accesses` block. False: it is damaged; what stands before that is kept.
bool decode_accesses(std::span<const std::byte> payload, uint32_t thread, const Ticks&, Recording&);
uint64_t bytes_of_accesses(const Recording&);

// Fills in Profile::accesses and access_uses. After link(), which knows whose the steps are.
void attach_accesses(const Recording&, Symbolizer&, Profile&);

// Gives `to` the accesses of the same grains in `from`, another recording of the program: counts from the one, times from the
// other. Returns the part of from's accesses whose grain was found; nothing is changed where that is below 95 %.
double borrow_accesses(const Profile& from, Profile& to);

}  // namespace einkorn::profile

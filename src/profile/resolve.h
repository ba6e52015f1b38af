// The Sources of a recording's sites and accesses: from the program's files as they are today, or from what the
// recording keeps of them (source_lines.h).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include "profile/profile.h"
#include "profile/raw.h"
#include "profile/symbols.h"

namespace einkorn::profile {

// The Source of every site, in out.sources. Sites of one construct at one line share it. symbolizer: nullptr: neither
// names nor lines are wanted. `lines`, where given, gets each site's own.
std::vector<uint32_t> resolve_sites(const Recording& rec, Symbolizer* symbolizer,
                                    const std::function<void(double)>& progress, SourceLines* lines, Profile& out);

Source source_of_access(const Recording& rec, Symbolizer& symbolizer, uint64_t return_address);

// Lines and names alone, of a recording whose grains nobody wants: reads the few blocks that have to do with them.
// out: its sources, source_folders. False, with a message: it is no recording.
bool load_lines(const std::string& path, const SymbolOptions& symbols, SourceLines& lines, Profile& out,
                LoadError& error);

}  // namespace einkorn::profile

// How link() goes through a recording: one walk over each context, from the initial task down, and then over what hangs
// off nothing (link_adopt.cpp).
#pragma once
#include <vector>
#include "profile/hand_names.h"
#include "profile/identity.h"
#include "profile/link.h"

namespace einkorn::profile::link_parts {

// More than one member creates.
inline constexpr uint32_t kMany = kNone - 1;

// Counters of what a context, or a chunk, has created.
struct Created {
  uint32_t tasks = 0, plain = 0, regions = 0, runs = 0, by_hand = 0;
};

// Where the walk stands in one context.
struct Walk {
  uint32_t context, step;
  uint32_t grain;   // of the context: initial, implicit, task
  uint32_t region;  // in Recording::regions, kNone outside
  bool implicit;
  uint32_t share = kNone;  // the open one
  uint32_t shares = 0;     // begun so far, those without a node included
  uint32_t chunk = kNone;  // grain of the open one
  uint32_t raw_chunk = kNone;
  uint32_t loop = kNone;  // in Profile::loops
  uint32_t chunks = 0, epoch = 0;
  Created in_epoch, in_chunk, all;
};

struct RegionInfo {
  GrainId id;
  size_t creators = 0;              // in Linker::creators_, one an epoch
  size_t loops = 0;                 // in Linker::loop_slots_, one a construct
  uint32_t first_implicit = kNone;  // grain of the first member; the others follow
};

class Linker {
 public:
  Linker(Recording& rec, const std::vector<uint32_t>& sources, Profile& out)
      : rec_(rec), sources_(sources), out_(out) {}
  void run();

 private:
  uint32_t add_grain(GrainKind kind, uint32_t parent, uint32_t ordinal, GrainId id);
  GrainId id_of(uint32_t grain) const { return {out_.grains[grain].id_high, out_.grains[grain].id_low}; }
  uint32_t source_of(uint32_t site) const { return site < sources_.size() ? sources_[site] : kNone; }
  uint16_t flags_of(uint32_t site) const { return site < rec_.sites.size() ? rec_.sites[site].flags & 255 : 0; }

  void walk_all();
  bool walk_step(Walk& w);
  void account(Step& s, uint32_t grain, bool ended);
  void count_wait(Walk& w);
  void push_context(uint32_t context, uint32_t grain, uint32_t region);
  uint32_t enter_task(uint32_t task, uint32_t parent, uint32_t ordinal, GrainId id, uint32_t region);
  void enter_region(uint32_t region, uint32_t parent, uint32_t ordinal, GrainId id);
  uint8_t asked_in(const RawRegion&) const;
  void scan_members(const RawRegion&, RegionInfo&);
  void fork(Walk& w, Step& s);
  GrainId name_by_hand(const HandNames::Name& name, Walk& w) const;
  void meet_region(Walk& w, Step& s);
  uint32_t node_in_class(const RawTask& task) const;
  void begin_loop(Walk& w, const Step& s);
  void begin_chunk(Walk& w, const Step& s);
  // Parent name of what this walk creates outside chunks, and the barriers before it: see identity.h.
  GrainId creator(const Walk& w) const;
  void adopt();
  uint32_t host_grain(uint32_t host) const;
  void adopt_task(uint32_t task);
  void adopt_region(uint32_t region);
  void finish_grains();
  size_t member_fragments() const;

  Recording& rec_;
  const std::vector<uint32_t>& sources_;
  Profile& out_;
  HandNames by_hand_;
  std::vector<Walk> stack_;
  std::vector<uint32_t> last_child_;
  std::vector<RegionInfo> infos_;   // by raw region
  std::vector<uint32_t> creators_;  // member that alone creates in this epoch, kMany, or kNone
  std::vector<uint32_t> loop_slots_;
  std::vector<GrainId> loop_ids_;  // by Profile::loops
  uint32_t root_regions_ = 0;      // met by the initial task, or by nobody known
};

}  // namespace einkorn::profile::link_parts

#include "record/sites.h"
#include <cstring>
#include "record/system.h"

namespace einkorn::record {

bool SiteTable::create() {
  if (sites_) return true;
  // Mapped whole, but pages cost memory only once touched.
  size_t site_bytes = sizeof(Site) * kMaxSites, slot_bytes = sizeof(uint32_t) * kSlots;
  auto memory = static_cast<char*>(map_memory(site_bytes + slot_bytes + kTextBytes));
  if (!memory) return false;
  Guard guard(lock_);
  sites_ = reinterpret_cast<Site*>(memory);
  slots_ = reinterpret_cast<uint32_t*>(memory + site_bytes);
  text_ = memory + site_bytes + slot_bytes;
  return true;
}

uint32_t SiteTable::find_or_add(Construct construct, uint16_t flags, const void* function, const void* return_address,
                                const char* text) {
  uint64_t f = uint64_t(function), r = uint64_t(return_address);
  uint64_t hash = (f * 0x9e3779b97f4a7c15ull) ^ (r * 0xc2b2ae3d27d4eb4full) ^ (uint64_t(construct) << 16 | flags);
  hash ^= hash >> 32;
  Guard guard(lock_);
  if (!sites_) return 0;
  uint32_t count = count_.load(std::memory_order_relaxed);
  uint32_t slot = uint32_t(hash) % kSlots;
  for (; slots_[slot]; slot = (slot + 1) % kSlots) {
    const Site& s = sites_[slots_[slot] - 1];
    if (s.function != f || s.return_address != r || s.construct != construct || s.flags != flags) continue;
    // Classes of codelets that are made at one place may be told apart by the lines that the program gives.
    // So are the stretches of a procedure by where they go on.
    const bool by_text = construct == Construct::codelet || construct == Construct::stretch;
    if (by_text && (s.text_bytes != strlen(text) || memcmp(s.text, text, s.text_bytes) != 0)) continue;
    return slots_[slot];
  }
  if (count == kMaxSites) return 0;
  Site& s = sites_[count];
  s = {f, r, text_ + text_used_, 0, construct, flags};
  if (text) {
    size_t n = strnlen(text, kMaxText);
    if (n <= kTextBytes - text_used_) {
      memcpy(text_ + text_used_, text, n);
      s.text_bytes = uint32_t(n);
      text_used_ += n;
    }
  }
  slots_[slot] = count + 1;
  count_.store(count + 1, std::memory_order_release);
  return count + 1;
}

}  // namespace einkorn::record

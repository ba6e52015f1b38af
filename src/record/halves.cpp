#include "record/halves.h"

namespace einkorn::record {

namespace {
constexpr uint64_t kNoRecord = ~0ull;
}

size_t expand_halves(Started before, const void* units, size_t bytes, uint64_t* words) {
  size_t n = 0;
  const bool whole = walk_halves(static_cast<const unsigned char*>(units), bytes, before,
                                 [&](uint64_t w, const unsigned char* further, int count) {
                                   words[n] = w;
                                   memcpy(words + n + 1, further, size_t(count) * sizeof *words);
                                   n += 1 + size_t(count);
                                 });
  if (!whole || bytes % sizeof(Unit)) words[n++] = kNoRecord;
  return n;
}

size_t expand_halves(const void* in, size_t bytes, uint64_t* words) {
  Started before;
  if (bytes < sizeof before) {
    words[0] = kNoRecord;
    return 1;
  }
  memcpy(&before, in, sizeof before);
  return expand_halves(before, static_cast<const char*>(in) + sizeof before, bytes - sizeof before, words);
}

}  // namespace einkorn::record

#include "base/printable.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace einkorn::inline base {

Character character_at(std::string_view s, size_t at) {
  const auto byte = [&](size_t i) { return uint8_t(s[i]); };
  const uint8_t first = byte(at);
  const size_t bytes = first < 0x80                    ? 1
                       : first >= 0xc2 && first < 0xe0 ? 2
                       : (first & 0xf0) == 0xe0        ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
  if (bytes == 0 || s.size() - at < bytes) return {};
  char32_t code = bytes == 1 ? first : first & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

std::string utf8(std::string_view s, std::string_view instead) {
  std::string out;
  out.reserve(s.size());
  for (size_t at = 0, bytes; at < s.size(); at += bytes ? bytes : 1) {
    bytes = character_at(s, at).bytes;
    out += bytes ? s.substr(at, bytes) : instead;
  }
  return out;
}

namespace {

bool is_harmless(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;         // control
  if (c == 0x61c || (c >= 0x200b && c <= 0x200f)) return false;  // no width, marks of direction
  if (c >= 0x2028 && c <= 0x202e) return false;                  // line ends, embeddings
  if (c >= 0x2060 && c <= 0x206f) return false;                  // no width, isolates
  if (c == 0xad || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb)) return false;
  if ((c & 0xfffe) == 0xfffe) return false;  // no characters, and XML refuses U+FFFE and U+FFFF
  return c < 0xe0000 || c > 0xe0fff;         // tags
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (c.bytes == 0) out += "\xef\xbf\xbd";  // U+FFFD
    else if (is_harmless(c.code) || kept.find(text[at]) != kept.npos) out += text.substr(at, c.bytes);
    else out += '?';
    at += std::max<size_t>(1, c.bytes);
  }
  return out;
}

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t plain = std::min(text.find_first_of("\n\x1b", at), text.size());
    out += printable(text.substr(at, plain - at));
    at = plain;
    if (at == text.size()) break;
    size_t end = at + 1;
    if (text[at] == '\x1b') {
      end = text.find_first_not_of("0123456789", std::min(at + 2, text.size()));
      if (text.substr(at, 2) != "\x1b[" || end > at + 4 || end == std::string_view::npos || text[end] != 'm') {
        out += '?';
        ++at;
        continue;
      }
      ++end;
    }
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

size_t make_printable(char* text, size_t bytes, bool lines) {
  const std::string_view all(text, bytes);
  size_t to = 0;  // never in front of what is still to be read
  for (size_t at = 0; at < bytes;) {
    const Character c = character_at(all, at);
    const size_t read = std::max<size_t>(1, c.bytes);
    if (c.bytes != 0 && (is_harmless(c.code) || (lines && c.code == '\n'))) {
      memmove(text + to, text + at, read);
      to += read;
    } else {
      text[to++] = '?';
    }
    at += read;
  }
  return to;
}

}  // namespace einkorn::inline base

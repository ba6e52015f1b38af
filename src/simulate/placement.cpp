#include "simulate/placement.h"

#include <algorithm>
#include <charconv>

namespace einkorn::simulate {

namespace {

constexpr const char* kPlacements =
    "first-touch, fine, interleaved, coarse, blocked, cyclic:BYTES, nearest and node:N, each also with ,next-touch or ,migrate:N";

bool number(const std::string& text, size_t from, uint64_t most, uint64_t* out) {
  const auto [stop, error] = std::from_chars(text.data() + from, text.data() + text.size(), *out);
  return error == std::errc() && stop == text.data() + text.size() && *out <= most;
}

bool parse_layout(const std::string& text, Placement* out) {
  struct Named {
    const char* name;
    memory::Layout layout;
  };
  for (const Named& n : {Named{"first-touch", memory::Layout::system},
                         {"fine", memory::Layout::fine},
                         {"interleaved", memory::Layout::interleaved},
                         {"coarse", memory::Layout::coarse},
                         {"blocked", memory::Layout::blocked},
                         {"nearest", memory::Layout::nearest}})
    if (text == n.name) return out->layout = n.layout, true;
  uint64_t n = 0;
  if (text.rfind("node:", 0) == 0 && number(text, 5, 1u << 20, &n)) return out->node = int(n), true;
  if (text.rfind("cyclic:", 0) == 0 && number(text, 7, uint64_t(1) << 50, &n) && n > 0) {
    out->layout = memory::Layout::blocked;
    out->block_bytes = n;
    return true;
  }
  return false;
}

}  // namespace

bool parse_placement(const std::string& text, Placement* out, std::string* why) {
  *out = Placement{};
  const size_t comma = text.find(',');
  bool good = parse_layout(text.substr(0, comma), out);
  if (good && comma != std::string::npos) {
    const std::string move = text.substr(comma + 1);
    uint64_t n = 0;
    if (move == "next-touch") out->move = Move::next_touch;
    else if (move.rfind("migrate:", 0) == 0 && number(move, 8, 1u << 30, &n) && n > 0)
      out->move = Move::follow, out->after = uint32_t(n);
    else good = false;
  }
  if (!good) *why = "'" + text + "' is no placement. There are " + kPlacements;
  return good;
}

std::vector<int> nodes_for(const Placement& p, const machine::Machine& m, const std::vector<int>& pus) {
  std::vector<bool> has(size_t(m.node_count()), false);
  if (p.layout == memory::Layout::interleaved) {
    for (const int pu : pus) has[size_t(m.pus[size_t(pu)].node)] = true;
  } else {
    for (const machine::Pu& pu : m.pus) has[size_t(pu.node)] = true;
  }
  std::vector<int> out;
  for (int n = 0; n < m.node_count(); ++n)
    if (has[size_t(n)]) out.push_back(n);
  return out;
}

}  // namespace einkorn::simulate

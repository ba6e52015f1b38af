#include "machine/tree.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "machine/load.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

enum class Kind { socket, node, llc, core, pu, nothing };  // ignored: structures that make no difference here

struct Name {
  const char* name;
  Kind kind;
  const char* shown;  // in messages
};
constexpr Name kNames[] = {{"socket", Kind::socket, "socket"},
                           {"sockets", Kind::socket, ""},
                           {"package", Kind::socket, ""},
                           {"pack", Kind::socket, ""},
                           {"numa", Kind::node, "numa"},
                           {"node", Kind::node, ""},
                           {"nodes", Kind::node, ""},
                           {"numanode", Kind::node, ""},
                           {"l3", Kind::llc, "l3"},
                           {"llc", Kind::llc, ""},
                           {"l3cache", Kind::llc, ""},
                           {"core", Kind::core, "core"},
                           {"cores", Kind::core, ""},
                           {"pu", Kind::pu, "pu"},
                           {"pus", Kind::pu, ""},
                           {"thread", Kind::pu, ""},
                           {"threads", Kind::pu, ""},
                           {"group", Kind::nothing, ""},
                           {"die", Kind::nothing, ""}};

struct TreeLevel {
  Kind kind;
  int count;
};

std::string lower(std::string s) {
  for (char& c : s) c = char(tolower(static_cast<unsigned char>(c)));
  return s;
}

std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  for (char c : line + " ") {
    if (!isspace(static_cast<unsigned char>(c))) word += c;
    else if (!word.empty()) out.push_back(word), word.clear();
  }
  return out;
}

// A number from 1 to `most` that is all of s.
bool whole(const std::string& s, long most, int* out) {
  if (s.empty() || s.size() > 9 || s.find_first_not_of("0123456789") != std::string::npos) return false;
  long v = atol(s.c_str());
  if (v < 1 || v > most) return false;
  *out = int(v);
  return true;
}

// 4x8 or 4x8x2: nodes, cores of each, threads of each.
bool read_short(const std::string& word, std::vector<TreeLevel>& levels) {
  int numbers[3], count = 0;
  size_t at = 0;
  while (at <= word.size()) {
    size_t x = std::min(word.find('x', at), word.size());
    if (count == 3 || !whole(word.substr(at, x - at), kMostPus, &numbers[count++])) return false;
    at = x + 1;
  }
  if (count < 2) return false;
  levels = {
      {Kind::node, numbers[0]}, {Kind::llc, 1}, {Kind::core, numbers[1]}, {Kind::pu, count == 3 ? numbers[2] : 1}};
  return true;
}

TreeRead read_levels(const std::string& line, std::vector<TreeLevel>& levels, std::string* why) {
  std::vector<std::string> all = words(line);
  if (all.size() == 1 && read_short(all[0], levels)) return TreeRead::good;
  for (const std::string& word : all) {
    size_t colon = word.find(':');
    if (colon == std::string::npos || word.find_first_of("()[]") != std::string::npos) {
      *why = text("\"%s\" is not of the form level:number", word.c_str());
      return TreeRead::not_ours;
    }
    std::string name = lower(word.substr(0, colon));
    const Name* found = nullptr;
    for (const Name& n : kNames)
      if (name == n.name) found = &n;
    if (!found) {
      Nearest nearest(name);
      std::string known;
      for (const Name& n : kNames)
        if (*n.shown) nearest.offer(n.shown), known += (known.empty() ? "" : ", ") + std::string(n.shown);
      *why = text("there is no level \"%s\".%s Levels are %s, each with a number, from the outermost to the innermost",
                  name.c_str(), nearest.question().c_str(), known.c_str());
      return TreeRead::not_ours;
    }
    int count;
    if (!whole(word.substr(colon + 1), kMostPus, &count)) {
      *why = text("\"%s\": after the colon there must be a number from 1 to %d", word.c_str(), kMostPus);
      return TreeRead::wrong;
    }
    for (const TreeLevel& l : levels)
      if (l.kind == found->kind && l.kind != Kind::nothing) {
        *why = text("\"%s\": that level is there already", word.c_str());
        return TreeRead::wrong;
      }
    if (!levels.empty() && levels.back().kind == Kind::pu) {
      *why = text("\"%s\" comes after pu, which is the innermost level", word.c_str());
      return TreeRead::wrong;
    }
    levels.push_back({found->kind, count});
  }
  if (levels.empty()) {
    *why = "it names no level";
    return TreeRead::wrong;
  }
  return TreeRead::good;
}

}  // namespace

TreeRead read_tree(const std::string& line, Machine* out, std::string* why) {
  std::string rest = line;
  std::vector<float> distances;
  if (!take_distance(&rest, &distances, why)) return TreeRead::wrong;
  std::vector<TreeLevel> levels;
  if (TreeRead r = read_levels(rest, levels, why); r != TreeRead::good) return r;

  int64_t total = 1, nodes = 1;
  bool has[6] = {};
  for (const TreeLevel& l : levels) {
    total *= l.count;
    has[int(l.kind)] = true;
    if (l.kind == Kind::node) nodes = total;
    if (total > kMostPus || nodes > kMostNodes) {
      *why = text("it is too large: %d CPUs and %d NUMA nodes are the most", kMostPus, kMostNodes);
      return TreeRead::wrong;
    }
  }
  Machine m;
  m.pus.resize(size_t(total));
  m.nodes.resize(size_t(nodes));
  for (int64_t i = 0; i < total; ++i) {
    // For each kind, the number of the structure that CPU i is in, counted over the whole machine.
    int at[6] = {};
    int64_t inside = total;
    for (const TreeLevel& l : levels) {
      inside /= l.count;
      at[int(l.kind)] = int(i / inside);
    }
    Pu& p = m.pus[size_t(i)];
    p.os = int32_t(i);
    p.node = at[int(Kind::node)];
    p.socket = has[int(Kind::socket)] ? at[int(Kind::socket)] : p.node;
    p.core = has[int(Kind::core)] ? at[int(Kind::core)] : int(i);
    // Without a level for the cache, the level nearest to the memory shares one.
    p.llc = has[int(Kind::llc)] ? at[int(Kind::llc)] : std::max(p.node, p.socket);
  }
  for (auto p = m.pus.rbegin(); p != m.pus.rend(); ++p) m.nodes[size_t(p->node)] = {p->node, p->socket, 0};
  set_distance(&m, distances);
  settle(&m);
  *out = std::move(m);
  return TreeRead::good;
}

bool take_distance(std::string* line, std::vector<float>* distances, std::string* why) {
  std::string rest;
  for (const std::string& word : words(*line)) {
    if (word.rfind("distance:", 0) != 0) {
      rest += (rest.empty() ? "" : " ") + word;
      continue;
    }
    const char* at = word.c_str() + strlen("distance:");
    do {
      char* end;
      double v = isdigit(static_cast<unsigned char>(*at)) ? strtod(at, &end) : 0;
      if (!(v >= 10 && v <= 10000) || (*end && *end != ',') || distances->size() == 2) {
        *why = text(
            "\"%s\": after distance: there must be one number from 10 to 10000, or two: to nodes of the same socket, "
            "to others",
            word.c_str());
        return false;
      }
      distances->push_back(float(v));
      at = *end == ',' ? end + 1 : end;
    } while (*at);
  }
  *line = rest;
  return true;
}

void set_distance(Machine* m, const std::vector<float>& distances) {
  if (distances.empty()) return;
  const size_t n = m->nodes.size();
  m->distance.assign(n * n, distances.back());
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      if (m->nodes[a].socket == m->nodes[b].socket) m->distance[a * n + b] = distances[0];
      if (a == b) m->distance[a * n + b] = 10;
    }
}

}  // namespace einkorn::machine

// A grain graph as lines of text, with names that say where in the program a node stands. Two graphs are equal if
// their sorted lines are.
//
//   init            the initial task           r0, r1    regions, in the order of their grains
//   r0.t1           implicit task 1 of r0      r0.t1.s2  its share 2
//   r0.t1/0         first task it creates      r0.t1/0/1 that task's second child
//   r0[8-11]        chunk of a loop in r0
// and nodes: GRAIN#2 its third fragment; fork GRAIN; fork r0; join GRAIN#0 its first wait; team r0#0 the team's first
// barrier, the last one being the region's end; joint GRAIN#0 the first joint that it created; book r0.t1#0; end, where
// the program waits for what nobody waited for.
#pragma once
#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::test {

struct Describe {
  bool times = true;  // begin, weight and the critical path
};

class Description {
 public:
  Description(const profile::Profile& p, Describe how) : p_(p), how_(how) {
    name_grains();
    name_nodes();
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < p_.graph.nodes.size(); ++i) {
      const profile::Node& n = p_.graph.nodes[i];
      std::ostringstream s;
      s << profile::kNodeKindNames[size_t(n.kind)] << " " << names_[i];
      if (how_.times) s << " at " << n.begin << " takes " << n.weight << (n.critical ? " critical" : "");
      out.push_back(s.str());
    }
    for (const profile::Edge& e : p_.graph.edges)
      out.push_back(std::string(profile::kEdgeKindNames[size_t(e.kind)]) + ": " + names_[e.from] + " -> " +
                    names_[e.to]);
    std::sort(out.begin(), out.end());
    return out;
  }
  const std::string& grain(uint32_t g) const { return grains_[g]; }

 private:
  void name_grains() {
    grains_.resize(p_.grains.size());
    for (size_t i = 0; i < p_.grains.size(); ++i) {
      const profile::Grain& g = p_.grains[i];
      std::string region = g.region == profile::kNone ? "" : "r" + std::to_string(g.region);
      switch (g.kind) {
        case profile::GrainKind::initial: grains_[i] = "init"; break;
        case profile::GrainKind::implicit: grains_[i] = region + ".t" + std::to_string(g.ordinal); break;
        case profile::GrainKind::share: grains_[i] = grains_[g.parent] + ".s" + std::to_string(g.ordinal); break;
        case profile::GrainKind::chunk:
          grains_[i] = region + "[" + std::to_string(g.first_iteration) + "-" +
                       std::to_string(g.first_iteration + g.iterations - 1) + "]";
          break;
        case profile::GrainKind::task: grains_[i] = grains_[g.parent] + "/" + std::to_string(g.ordinal); break;
      }
    }
  }
  void name_nodes() {
    const auto& nodes = p_.graph.nodes;
    names_.resize(nodes.size());
    std::map<std::string, int> count;
    // A fork is named for what it creates, the end of a region for the region.
    std::map<uint32_t, std::string> forks;
    for (const profile::Edge& e : p_.graph.edges) {
      if (e.kind != profile::EdgeKind::creation || nodes[e.to].kind == profile::NodeKind::joint) continue;
      uint32_t child = nodes[e.to].grain;
      const profile::Grain& g = p_.grains[child];
      bool share = g.kind == profile::GrainKind::share || g.kind == profile::GrainKind::chunk;
      forks[e.from] = share ? "r" + std::to_string(g.region) : grains_[child];
    }
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const profile::Node& n = nodes[i];
      std::string grain = n.grain == profile::kNone ? "" : grains_[n.grain];
      std::string numbered;
      switch (n.kind) {
        case profile::NodeKind::fragment:
        case profile::NodeKind::chunk: numbered = grain; break;
        case profile::NodeKind::fork: names_[i] = "fork " + (forks.count(i) ? forks[i] : "?"); continue;
        case profile::NodeKind::joint: numbered = "joint " + grain; break;
        case profile::NodeKind::bookkeeping: numbered = "book " + grain; break;
        case profile::NodeKind::join:
          numbered = n.grain == profile::kNone ? "team " + region_of_join(i) : "join " + grain;
          break;
      }
      int k = count[numbered]++;
      names_[i] = numbered + "#" + std::to_string(k);
    }
  }
  // From the grains that reach it: a share's or chunk's region, or of the implicit task above a task.
  std::string region_of_join(uint32_t join) const {
    uint32_t found = profile::kNone;
    for (const profile::Edge& e : p_.graph.edges) {
      if (e.to != join || p_.graph.nodes[e.from].grain == profile::kNone) continue;
      const profile::Grain& g = p_.grains[p_.graph.nodes[e.from].grain];
      if (g.kind != profile::GrainKind::task) return "r" + std::to_string(g.region);
      found = g.region;
    }
    return found == profile::kNone ? "?" : "r" + std::to_string(found);
  }

  const profile::Profile& p_;
  Describe how_;
  std::vector<std::string> grains_, names_;
};

inline std::vector<std::string> describe(const profile::Profile& p, Describe how = {}) {
  return Description(p, how).lines();
}

// Lines of a text block, sorted, blank ones and indentation left out.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) out.push_back(line.substr(first));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The lines without what the schedule decides: times, which member of the team did it, and which of a share's fragments
// it was (other members have shares of the same name).
inline std::vector<std::string> structure(std::vector<std::string> lines) {
  static const std::regex times(" at .*"), member("(r[0-9]+)\\.t[0-9]+"), share("(\\.s[0-9]+)#[0-9]+"),
      book("(book [^ ]*)#[0-9]+");
  for (std::string& line : lines) {
    line = std::regex_replace(line, times, "");
    line = std::regex_replace(line, member, "$1.t");
    line = std::regex_replace(line, share, "$1");
    line = std::regex_replace(line, book, "$1");
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace einkorn::test

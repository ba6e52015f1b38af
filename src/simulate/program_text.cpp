#include "simulate/program_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "simulate/synthetic.h"

namespace einkorn::simulate {

namespace {

constexpr double kMostTasks = 1e7;

// The numbers of a text after its first word. Greater than 0, all of them.
struct Numbers {
  std::vector<double> n;
  bool good = false;
  size_t size() const { return n.size(); }
  double operator[](size_t i) const { return n[i]; }
  double or_else(size_t i, double otherwise) const { return i < n.size() ? n[i] : otherwise; }
  bool whole(size_t from, size_t to) const {
    for (size_t i = from; i < to && i < n.size(); ++i)
      if (n[i] != std::floor(n[i]) || n[i] > 4e9) return false;
    return true;
  }
};

Numbers numbers_of(const std::string& text, size_t at) {
  Numbers out;
  for (; at <= text.size();) {
    const size_t end = std::min(text.find(':', at), text.size());
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end || !(value > 0) || !std::isfinite(value)) return out;
    out.n.push_back(value);
    at = end + 1;
  }
  out.good = true;
  return out;
}

struct Parser {
  const std::string& kind;
  const Numbers& n;
  int nodes;
  std::function<Program(int)>& make;
  std::string& why;

  uint32_t whole(size_t i) const { return uint32_t(n[i]); }
  // That the form has so many numbers, of which the first `whole_ones` are whole.
  bool form(size_t least, size_t most, size_t whole_ones) const {
    return n.good && n.size() >= least && n.size() <= most && n.whole(0, whole_ones);
  }
  bool few(double tasks, const char* what) const {
    if (tasks <= kMostTasks) return true;
    why = fmt::format("{}: {:.3g} tasks are too many; ten million are the most", what, tasks);
    return false;
  }

  bool tiles() const {
    const double t = n[0];
    const bool cholesky_form = kind == "cholesky";
    if (!few(cholesky_form ? t * (t + 1) / 2 * ((t + 2) / 3 + 1) : t * t + t * (t + 1) * (2 * t + 1) / 6, kind.c_str()))
      return false;
    const double gflops = n.or_else(2, 10);
    const uint32_t side = whole(0), block = whole(1);
    if (cholesky_form) make = [=](int members) { return cholesky(uint32_t(members), side, block, gflops); };
    else make = [=](int members) { return qr(uint32_t(members), side, block, gflops); };
    return true;
  }

  bool stencils() const {
    if (!few(n[0] * n[0] * (n[2] + 1), kind.c_str())) return false;
    const uint32_t side = whole(0), block = whole(1), steps = whole(2);
    const double ns = n.or_else(3, 0.5);
    const Stencil how = kind == "stencil" ? Stencil::tasks : Stencil::loops;
    const double jitter = n.or_else(4, 0) / 100;
    if (jitter >= 1) return why = kind + ": a jitter of 100 % or more would leave updates no time", false;
    make = [=](int members) { return stencil(uint32_t(members), side, block, steps, ns, how, jitter); };
    return true;
  }

  bool packages(Packages how) const {
    const auto largest = uint64_t(n[0]);
    const int over = nodes;
    const double ns = n[1];
    make = [=](int members) { return load_balance(uint32_t(members), over, 3840, largest, ns, how); };
    return true;
  }

  // "uts:t1:8:330", "uts:binomial:2000:0.1245:8:42:20", "uts:geometric:4:10:19".
  bool uts_form(const std::string& text) const {
    const size_t begin = text.find(':') + 1, end = std::min(text.find(':', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    Numbers n = end < text.size() ? numbers_of(text, end + 1) : Numbers{{}, true};
    UtsTree tree;
    size_t own = 0;  // numbers that say which tree
    bool known = n.good;
    if (name == "binomial") {
      own = 4;
      if ((known = known && n.size() >= own && n.whole(0, 1) && n[1] < 1 && n.whole(2, 4))) {
        tree = {UtsTree::binomial, UtsTree::linear, n[0], n[1], uint32_t(n[2]), 0, uint32_t(n[3]), 0};
        if (tree.q * tree.m >= 1) return why = "uts: Q x M must be below 1, or the tree has no end", false;
      }
    } else if (name == "geometric") {
      own = 3;
      if ((known = known && n.size() >= own && n.whole(1, 3)))
        tree = {UtsTree::geometric, UtsTree::fixed, n[0], 0, 0, uint32_t(n[1]), uint32_t(n[2]), 0};
    } else {
      known = known && uts_tree(name, tree);
    }
    if (!known || n.size() > own + 2 || !n.whole(own, own + 1)) return false;
    auto walked = std::make_shared<UtsNodes>();
    const auto cutoff = uint32_t(n.or_else(own, 4e9));
    if (!walk_uts(tree, cutoff, uint64_t(kMostTasks), *walked))
      return why = "uts: this tree has more than ten million nodes", false;
    const double ns = n.or_else(own + 1, 330);
    make = [=](int members) { return uts(uint32_t(members), *walked, ns); };
    return true;
  }
};

struct Form {
  const char *kind, *text;
};
constexpr Form kForms[] = {
    {"cholesky", "cholesky:TILES:BLOCK[:GFLOPS]"},
    {"qr", "qr:TILES:BLOCK[:GFLOPS]"},
    {"stencil", "stencil:TILES:BLOCK:STEPS[:NS[:JITTER_PERCENT]]"},
    {"stencil-loop", "stencil-loop:TILES:BLOCK:STEPS[:NS[:JITTER_PERCENT]]"},
    {"uts", "uts:TREE[:CUTOFF[:NS]] with small, t1 to t5, binomial:B0:Q:M:SEED or geometric:B0:DEPTH:SEED as TREE"},
    {"packages", "packages:BYTES:NS_PER_BYTE"},
    {"packages-dynamic", "packages-dynamic:BYTES:NS_PER_BYTE"},
    {"packages-tasks", "packages-tasks:BYTES:NS_PER_BYTE"},
    {"packages-owner-tasks", "packages-owner-tasks:BYTES:NS_PER_BYTE"},
    {"tree", "tree:FAN:DEPTH:NODE_NS:LEAF_NS"},
    {"flat", "flat:TASKS:NS"},
};

// What is wrong with a text that has no other fault than its form.
std::string not_a_form(const std::string& text, const std::string& kind) {
  std::string all;
  for (const Form& f : kForms) {
    if (kind == f.kind) return fmt::format("'{}' should be {}, all of them numbers above 0", text, f.text);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", f.text);
  }
  return fmt::format("'{}' is no program. There are {}", text, all);
}

}  // namespace

bool parse_program(const std::string& text, int nodes, std::function<Program(int)>& make, std::string& why) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string kind = text.substr(0, colon);
  const Numbers n = colon < text.size() ? numbers_of(text, colon + 1) : Numbers{};
  const Parser p{kind, n, nodes, make, why};
  why.clear();
  bool good = false;
  if (kind == "cholesky" || kind == "qr") good = p.form(2, 3, 2) && p.tiles();
  else if (kind == "stencil" || kind == "stencil-loop") good = p.form(3, 5, 3) && p.stencils();
  else if (kind == "uts" && colon < text.size()) good = p.uts_form(text);
  else if (kind == "packages") good = p.form(2, 2, 0) && p.packages(Packages::static_loop);
  else if (kind == "packages-dynamic") good = p.form(2, 2, 0) && p.packages(Packages::dynamic_loop);
  else if (kind == "packages-tasks") good = p.form(2, 2, 0) && p.packages(Packages::tasks);
  else if (kind == "packages-owner-tasks") good = p.form(2, 2, 0) && p.packages(Packages::owner_tasks);
  else if (kind == "tree" && p.form(4, 4, 2) && p.few(std::pow(n[0], n[1]), "tree")) {
    make = [=](int members) { return fork_join_tree(uint32_t(members), uint32_t(n[0]), uint32_t(n[1]), n[2], n[3]); };
    good = true;
  } else if (kind == "flat" && p.form(2, 2, 1) && p.few(n[0], "flat")) {
    make = [=](int members) { return flat(uint32_t(members), uint32_t(n[0]), n[1]); };
    good = true;
  }
  if (!good && why.empty()) why = not_a_form(text, kind);
  return good;
}

}  // namespace einkorn::simulate

// load_synthetic() and load_model_text() on what people might type and files might hold: no crash, no hang, no
// unbounded memory; a refusal has a message, and an accepted machine keeps the invariants and survives its own JSON.
//
//   fuzz_machine [--iterations N] [--seconds S] [--seed N]     the same inputs for the same seed
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz_text.h"
#include "machine/describe.h"
#include "machine/load.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::machine;
using fuzz::Random;

[[noreturn]] void wrong(const char* what, const std::string& input, const std::string& more = "") {
  fprintf(stderr, "fuzz_machine: %s: %s\ninput:\n%s\n", what, more.c_str(), input.c_str());
  abort();
}

bool g_slow = false;  // look at the costly properties too, now and then

void check(bool good, const Machine& m, const std::string& why, const std::string& input) {
  if (!good) {
    if (why.empty() || why.size() > 10'000) wrong("refused without a message, or with a book", input, why);
    return;
  }
  if (std::string b = broken(m); !b.empty()) wrong("taken, and broken", input, b);
  if (!g_slow || m.node_count() > 64) return;
  Machine back;
  std::string again;
  std::string json = to_json(m);
  if (!load_model_text(json, "back", &back, &again)) wrong("its own JSON is refused", input, again);
  if (to_json(back) != json) wrong("does not come back from JSON as it was", input, json);
  if (describe(m).empty() || picture(m).size() < 100) wrong("no picture", input);
}

void try_line(const std::string& line) {
  Machine m;
  std::string why;
  bool good = load_synthetic(line, &m, &why);
  check(good, m, why, line);
}

void try_model(const std::string& content) {
  Machine m;
  std::string why;
  bool good = load_model_text(content, "fuzz.json", &m, &why);
  check(good, m, why, content);
}

const char* const kLines[] = {"numa:4 l3:1 core:8 pu:1",
                              "socket:2 numa:2 l3:2 core:3 pu:2 distance:12,22",
                              "4x8",
                              "8x6x2",
                              "pu:3",
                              "pack:2 [numa(memory=16GB)] l3:1(size=8MB) core:4 pu:2",
                              "2 3 2",
                              "group:2 die:1 numa:1 core:2",
                              "numa:1024 core:8",
                              "node:2 core:2 distance:17.5",
                              "l2:2 l1:1 core:2 pu:1"};
const char* const kModels[] = {
    R"({"einkorn_machine": 1, "name": "a", "note": "b", "tree": "socket:2 numa:1 l3:1 core:2 pu:2", "memory_bytes": 1000, "l1_bytes": 32768, "distance": [[10, 21], [21, 10]], "distance_measured": false})",
    R"({"einkorn_machine": 1, "pus": [[7, 5, 1, 1, 1], [3, 9, 0, 0, 0], [4, 9, 0, 0, 0]], "nodes": [{"os": 4, "memory_bytes": 1000}, {"os": 2, "socket": 1}, {"os": 9}], "llc_bytes": 77, "page_bytes": 16384, "distance": [[10, 21, 5.5], [21, 10, 30], [17, 30, 10]], "distance_measured": true, "latency_ns": [[1, 2, 3], [4, 5, 6], [7, 8, 1e3]], "bandwidth": [[1e9, 2, 3], [4, 5, 6], [7, 8, 9]], "bandwidth_one": [[1e8, 2, 3], [4, 5, 6], [7, 8, 9]], "measured": {"barrier_ns": 178.25}})"};
const char* const kPieces[] = {"numa:",
                               "core:",
                               "pu:",
                               "l3:",
                               "socket:",
                               ":",
                               "0",
                               "1",
                               "2",
                               "8",
                               "64",
                               "8192",
                               "8193",
                               "4294967296",
                               "-1",
                               "0x10",
                               " ",
                               "  ",
                               "(",
                               ")",
                               "[",
                               "]",
                               "distance:",
                               ",",
                               "x",
                               "1e9",
                               "1e400",
                               "\"",
                               "{",
                               "}",
                               "null",
                               "true",
                               "[[",
                               "]]",
                               "\"tree\"",
                               "\"pus\"",
                               "\"nodes\"",
                               "\"distance\"",
                               "[0, 0, 0, 0, 0]",
                               "\\u0000",
                               "\xff",
                               "\n",
                               "size=",
                               "memory=1GB"};

}  // namespace

int main(int argc, char** argv) {
  return fuzz::run(argc, argv, "fuzz_machine", [](uint64_t i, Random& random) {
    g_slow = i % 8 == 0;
    auto damaged = [&](const char* text) { return fuzz::mutated(text, 1 + random() % 4, kPieces, false, random); };
    if (i % 2) try_model(damaged(kModels[random() % std::size(kModels)]));
    else try_line(damaged(kLines[random() % std::size(kLines)]));
  });
}

// Which construct of one recording is which of another? After an edit a construct stands at another line, perhaps in
// another folder, in a function that moved or has a new name; another compiler gives it another address. So constructs
// are paired by evidence:
//   * functions of one name belong together; of the others those whose grains are the same (profile/identity.h);
//   * within a function constructs of one kind keep their order. What fits best decides: the text of their lines, where
//     the recordings keep it, the grains that they have in common, the numbers of grains, and their execution. Of a
//     function that has more constructs now, the grains say nothing: those behind the new one are named anew;
//   * one construct may have become two (a loop that was split), or two one;
//   * what is left is paired by text, then by grains, wherever it stands.
// Without text (older recordings) and names (stripped programs), grains and order are enough.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::profile {

// Sources of one line and construct, of one recording.
struct Place {
  std::string construct, function, file;  // file: without its folders
  uint32_t line = 0;
  uint64_t address = 0;
  std::vector<std::string> text;  // the line and those behind it, as comparable_text() leaves them; empty: not known
  uint64_t grains = 0;
  int64_t exec = 0;
  bool used() const { return grains > 0; }
};

// A source line without blanks and comments; empty: it has nothing else.
std::string comparable_text(const std::string& line);

// Grains that are the same in both recordings, by their places: how much they took there.
struct Vote {
  uint32_t before, after;  // places
  double weight;
};

// By place of each side: the number of its row. Places with one number belong together; every place has one.
struct Pairing {
  std::vector<uint32_t> before, after;
  uint32_t rows = 0;
};
// times: execution means something in both.
Pairing pair_places(const std::vector<Place>& before, const std::vector<Place>& after, const std::vector<Vote>& votes,
                    bool times);

}  // namespace einkorn::profile

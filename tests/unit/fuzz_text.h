// What the fuzzers of texts share: how a text is damaged, and the command line that says how long.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>

namespace fuzz {

using Random = std::mt19937_64;

// The text, damaged `times` times; with `many`, a piece may also come many times over.
inline std::string mutated(std::string s, size_t times, std::span<const char* const> pieces, bool many,
                           Random& random) {
  while (times--) {
    size_t at = random() % (s.size() + 1), length = random() % 12;
    const char* piece = pieces[random() % pieces.size()];
    switch (random() % (many ? 6 : 5)) {
      case 0: s.insert(at, piece); break;
      case 1: s.erase(at, length); break;
      case 2: s.replace(at, length, piece); break;
      case 3:
        if (at < s.size()) s[at] = char(random());
        break;
      case 4: s.insert(at, s.substr(random() % (s.size() + 1), length)); break;
      case 5:
        if (s.size() < 2000)
          for (size_t i = random() % 40; i--;) s.insert(at, piece);
        break;
    }
    // Numbers are where such texts go wrong.
    if (size_t digit = s.find_first_of("0123456789", at); digit != std::string::npos && random() % 2)
      s.replace(digit, 1, std::to_string(random() % 3 ? random() % 20 : random() >> (random() % 64)));
  }
  // Strings from the environment end with a zero.
  return s.substr(0, s.find('\0'));
}

// --iterations N --seconds S --seed N; the same inputs for the same seed. try_one(i, random) for each input. Returns
// the exit status.
template <class F>
int run(int argc, char** argv, const char* name, F&& try_one) {
  uint64_t iterations = 20000, seed = 1;
  double seconds = 5;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--iterations")) iterations = strtoull(argv[i + 1], nullptr, 10);
    else if (!strcmp(argv[i], "--seconds")) seconds = strtod(argv[i + 1], nullptr);
    else if (!strcmp(argv[i], "--seed")) seed = strtoull(argv[i + 1], nullptr, 10);
    else return fprintf(stderr, "%s: what is %s?\n", name, argv[i]), 2;
  }
  Random random(seed);
  auto begin = std::chrono::steady_clock::now();
  uint64_t done = 0;
  for (; done < iterations && std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds); ++done)
    try_one(done, random);
  printf("%llu inputs, seed %llu\n", static_cast<unsigned long long>(done), static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace fuzz

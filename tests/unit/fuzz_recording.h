// Damaged recordings for fuzzers: the same ones for the same seed.
//
//   int main(argc, argv) { return fuzz("fuzz_grain", argc, argv, [](const std::string& bytes) { ... }); }
//
//   PROGRAM [--iterations N] [--seconds S] [--seed N] [FILE ...]     mutates the built-in recordings and FILEs
//
// A block's checksum catches most random damage: half of the mutations therefore change a block's content and give it a
// valid checksum again.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>
#include "../golden/golden_by_hand.h"
#include "../golden/golden_codelets.h"
#include "../golden/golden_procedures.h"
#include "../golden/seeds.h"
#include "record/crc32c.h"
#include "record/packed.h"

namespace einkorn::test {

using Random = std::mt19937_64;

inline uint64_t interesting(Random& random) {
  static constexpr uint64_t kValues[] = {0,          1,          2,          7,          8,          63,
                                         64,         255,        65535,      65536,      0x7fffffff, 0xffffffff,
                                         1ull << 32, 1ull << 47, 1ull << 48, 1ull << 62, 1ull << 63, ~0ull};
  uint64_t v = kValues[random() % std::size(kValues)];
  return random() % 2 ? v : v + random() % 5 - 2;
}

inline void damage(std::string& s, Random& random) {
  if (s.empty()) return;
  size_t at = random() % s.size();
  switch (random() % 6) {
    case 0: s[at] = char(s[at] ^ (1 << random() % 8)); break;
    case 1: s[at] = char(random()); break;
    case 2: s.resize(at); break;
    case 3: s.erase(at, random() % 64); break;
    case 4: s.insert(at, s.substr(random() % s.size(), random() % 200)); break;
    case 5: {
      uint64_t v = interesting(random);
      memcpy(&s[at], &v, std::min<size_t>(sizeof v, s.size() - at));
      break;
    }
  }
}

// Changes the words of an event block, or its halves, the way a confused recorder might.
template <class Word>
void change_words(std::vector<Word>& words, Random& random) {
  if (words.empty()) return;
  size_t at = random() % words.size();
  switch (random() % 7) {
    case 0: words[at] = Word((words[at] & ~63ull) | random() % 64); break;  // another kind
    case 1: words[at] = Word(interesting(random)); break;
    case 2:
      words[at] = Word((words[at] & (sizeof(Word) == 8 ? 0xffffffff : 0xfffff)) | interesting(random)
                                                                                      << (sizeof(Word) == 8 ? 32 : 20));
      break;  // payload
    case 3: words.erase(words.begin() + long(at)); break;
    case 4: words.insert(words.begin() + long(at), words[random() % words.size()]); break;
    case 5: {  // repeat a stretch
      size_t n = std::min<size_t>(random() % 20, words.size() - at);
      std::vector<Word> copy(words.begin() + long(at), words.begin() + long(at + n));
      size_t times = random() % 8 == 0 ? 200 : 2;
      while (times--) words.insert(words.begin() + long(at), copy.begin(), copy.end());
      break;
    }
    case 6: std::swap(words[at], words[random() % words.size()]); break;
  }
}

// Rewrites some blocks of a sound file, each with a valid checksum.
inline std::string restructure(const std::string& file, Random& random) {
  std::string out = file.substr(0, sizeof(record::FileHeader));
  std::vector<std::string> blocks;
  for (size_t at = out.size(); at + sizeof(record::BlockHeader) <= file.size();) {
    record::BlockHeader h;
    memcpy(&h, &file[at], sizeof h);
    at += sizeof h;
    if (h.magic != record::kBlockMagic || h.stored_bytes > file.size() - at || h.raw_bytes > record::kMaxRawBytes)
      break;
    std::vector<uint64_t> raw(h.raw_bytes / 8 + 1);
    bool known = record::decode_payload(h.codec, &file[at], h.stored_bytes, raw.data(), h.raw_bytes);
    std::string payload =
        known ? std::string(reinterpret_cast<char*>(raw.data()), h.raw_bytes) : file.substr(at, h.stored_bytes);
    const bool halves = known && h.codec == record::Codec::halves;
    if (known) h.codec = halves ? record::Codec::halves : record::Codec::raw;
    at += (h.stored_bytes + 7) / 8 * 8;
    if (random() % 4 == 0) {
      if (h.type == record::BlockType::events && random() % 8) {
        auto change = [&](auto words) {
          constexpr size_t kBytes = sizeof words[0];
          words.resize(payload.size() / kBytes);
          memcpy(words.data(), payload.data(), words.size() * kBytes);
          for (size_t n = 1 + random() % 4; n--;) change_words(words, random);
          payload.assign(reinterpret_cast<char*>(words.data()), words.size() * kBytes);
        };
        if (halves) change(std::vector<uint32_t>());
        else change(std::vector<uint64_t>());
      } else {
        damage(payload, random);
      }
      if (random() % 8 == 0) h.sequence += random() % 3 - 1;
      if (random() % 16 == 0) h.thread = uint32_t(interesting(random));
      if (random() % 16 == 0) h.first_tick = interesting(random);
      if (random() % 16 == 0) h.first_serial = interesting(random);
      if (random() % 32 == 0)
        h.type = random() % 8 ? record::BlockType(random() % 10) : record::BlockType::codelet_graphs;
    }
    h.stored_bytes = h.raw_bytes = uint32_t(payload.size());
    h.checksum = 0;
    h.checksum = record::crc32c(record::crc32c(0, &h, sizeof h), payload.data(), payload.size());
    payload.append((8 - payload.size() % 8) % 8, '\0');
    blocks.push_back(std::string(reinterpret_cast<char*>(&h), sizeof h) + payload);
  }
  if (!blocks.empty() && random() % 4 == 0)
    std::swap(blocks[random() % blocks.size()], blocks[random() % blocks.size()]);
  if (!blocks.empty() && random() % 4 == 0) blocks.erase(blocks.begin() + long(random() % blocks.size()));
  if (!blocks.empty() && random() % 8 == 0) blocks.push_back(blocks[random() % blocks.size()]);
  for (const std::string& b : blocks) out += b;
  return out;
}

inline std::string mutation(const std::vector<std::string>& seeds, Random& random) {
  std::string bytes = seeds[random() % seeds.size()];
  if (random() % 4) bytes = restructure(bytes, random);
  if (random() % 3 == 0)
    for (size_t n = 1 + random() % 3; n--;) damage(bytes, random);
  return bytes;
}

// A file in memory with these bytes; valid until the next call.
inline std::string as_file(const std::string& bytes) {
  static const int file = memfd_create("fuzz.grain", MFD_CLOEXEC);
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) abort();
  return "/proc/self/fd/" + std::to_string(file);
}

// An input that breaks a rule is left in NAME.broken.
[[noreturn]] inline void give_up(const char* name, const std::string& what, const std::string& bytes) {
  fprintf(stderr, "%s: %s\n", name, what.c_str());
  std::ofstream(std::string(name) + ".broken", std::ios::binary) << bytes;
  abort();
}

template <class Try>
int fuzz(const char* name, int argc, char** argv, Try&& attempt) {
  uint64_t iterations = 20000, seed = 1;
  double seconds = 1e9;
  std::vector<std::string> seeds = {rich_recording().bytes(),     rich_recording(true).bytes(),
                                    lossy_recording().bytes(),    lossy_recording(true).bytes(),
                                    limited_recording().bytes(),  limited_recording(true).bytes(),
                                    depend_recording().bytes(),   depend_recording(true).bytes(),
                                    accesses_recording().bytes(), accesses_recording(true).bytes(),
                                    codelet_diamond().bytes(),    codelet_runs().bytes(),
                                    codelet_runs(true).bytes(),   procedures().bytes(),
                                    instances_beside().bytes(),   by_hand().bytes()};
  for (GrainFile file : {rich_recording(), lossy_recording(), limited_recording()}) {
    file.halves = true;
    seeds.push_back(file.bytes());
  }
  // The second: what a demangler takes a minute and gigabytes for.
  for (const std::string& name :
       {std::string("function"),
        std::string(
            "_Z1fSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8"
            "_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI"
            "_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_ES_ISO_SO_ES_ISP_SP_E")}) {
    const record::CodeNameRecord named{0x1000, 0x1000, uint32_t(name.size()), 0};
    const std::string names = std::string(reinterpret_cast<const char*>(&named), sizeof named) + name;
    rich_recording().block(seeds.emplace_back(seeds[0]), record::BlockType::code_names, names.data(), names.size());
  }
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--iterations" && i + 1 < argc) iterations = strtoull(argv[++i], nullptr, 10);
    else if (arg == "--seed" && i + 1 < argc) seed = strtoull(argv[++i], nullptr, 10);
    else if (arg == "--seconds" && i + 1 < argc) seconds = strtod(argv[++i], nullptr);
    else {
      std::ifstream in(arg, std::ios::binary);
      if (!in) {
        fprintf(stderr, "%s: cannot open '%s'\n", name, arg.c_str());
        return 2;
      }
      seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  }
  for (const std::string& s : seeds) attempt(s);
  auto start = std::chrono::steady_clock::now();
  uint64_t done = 0;
  for (; done < iterations; ++done) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    Random random(seed * 1000003 + done);  // an iteration can be repeated alone
    attempt(mutation(seeds, random));
  }
  printf("%s: %llu inputs\n", name, static_cast<unsigned long long>(done));
  return 0;
}

}  // namespace einkorn::test

// Others write readers from docs/grain-file.md: its tables must say what format.h says, and its code must work.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include "record/packed.h"
#include "record/recorder.h"
#include "record/stream.h"
#include "../golden/seeds.h"
#include "record_child.h"
#include "record_reader.h"

namespace einkorn::record {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string trimmed(const std::string& s) {
  size_t begin = s.find_first_not_of(' '), end = s.find_last_not_of(' ');
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

// Rows "| number | name | ... |" of the document whose first cell is this number.
std::vector<std::vector<std::string>> rows(const std::string& section) {
  std::vector<std::vector<std::string>> found;
  std::istringstream in(section);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '|') continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(trimmed(cell));
    found.push_back(cells);
  }
  return found;
}

// Names of the kinds of records, as format.h has them.
std::map<int, std::string> kind_names() {
  const std::string text = read_text(EINKORN_FORMAT_HEADER);
  const size_t begin = text.find("enum class Kind : uint8_t {");
  const std::string kinds = text.substr(begin, text.find("};", begin) - begin);
  const std::regex kind(R"(([a-z_]+)\s*=\s*(\d+),)");
  std::map<int, std::string> names;
  for (std::sregex_iterator at(kinds.begin(), kinds.end(), kind), end; at != end; ++at)
    names[std::stoi((*at)[2])] = (*at)[1];
  return names;
}

// The document's code.
std::string its_code() {
  const std::string text = read_text(EINKORN_GRAIN_FILE_DOC);
  std::string script;
  for (size_t at = 0; (at = text.find("```python\n", at)) != std::string::npos;) {
    size_t begin = at + 10;
    at = text.find("```", begin);
    script += text.substr(begin, at - begin);
  }
  return script;
}

TEST(RecordDocs, RecordKindsAreThoseOfTheFormat) {
  std::string text = read_text(EINKORN_GRAIN_FILE_DOC);
  std::string section = text.substr(text.find("## 4. Events"), text.find("### Identity") - text.find("## 4. Events"));
  std::map<int, std::vector<std::string>> kinds;
  for (auto& cells : rows(section)) {
    if (cells.size() == 4 && !cells[0].empty() && std::all_of(cells[0].begin(), cells[0].end(), ::isdigit)) {
      kinds[std::stoi(cells[0])] = cells;
    }
  }
  std::map<int, std::string> names = kind_names();
  for (int k = 0; k < 64; ++k) {
    bool known = extra_words(Kind(k), 0) >= 0;
    ASSERT_EQ(kinds.count(k), known ? 1u : 0u) << "kind " << k;
    if (known) {
      const std::string reserved = k == int(Kind::control) ? " (reserved)" : "";
      EXPECT_EQ(kinds[k][1], names[k] + reserved) << "kind " << k;
    }
    if (!known || Kind(k) == Kind::depend || Kind(k) == Kind::counters) continue;
    const std::string& words = kinds[k][3];
    int described = words.empty() ? 0 : int(std::count(words.begin(), words.end(), ';')) + 1;
    EXPECT_EQ(described, extra_words(Kind(k), 0)) << kinds[k][1];
  }
}

TEST(RecordDocs, HalvesAreThoseOfTheFormat) {
  const std::string text = read_text(EINKORN_GRAIN_FILE_DOC);
  size_t begin = text.find("## 2. Codecs");
  int found = 0;
  std::map<int, std::string> names = kind_names();
  for (auto& cells : rows(text.substr(begin, text.find("## 3. Block types") - begin))) {
    if (cells.size() != 4 || cells[0].empty() || !std::all_of(cells[0].begin(), cells[0].end(), ::isdigit)) continue;
    const int number = std::stoi(cells[0]);
    ASSERT_EQ(number, kFirstHalf + found);
    const HalfForm& form = form_of(Half(number));
    const int last = 5 + form.delta_bits;
    EXPECT_EQ(cells[1], names[int(form.kind)]) << number;
    EXPECT_EQ(cells[2], "bits 6.." + std::to_string(last)) << number;
    if (form.payload == HalfPayload::as_it_is) {
      EXPECT_EQ(cells[3], "bits " + std::to_string(last + 1) + "..31: the same") << number;
    }
    EXPECT_EQ(cells[3] == "none: 0", form.payload == HalfPayload::none) << number;
    ++found;
  }
  EXPECT_EQ(found, 8);
}

TEST(RecordDocs, ItsCodeReadsARecording) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    stall_writer_for_test(true);  // until the end: a writer that has time for it packs and compresses
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    for (int i = 0; i < 20001; ++i) {
      uint64_t t = einkorn::ticks();
      s->task_create(t, t + 10 + (t & 63), 1 + i % 3);
      s->task_start(t + 80, s->last_task_id());
      s->task_end(einkorn::ticks());
    }
    close_stream(s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  std::string script = its_code();
  // What is recorded fast is not packed: one block's words packed here.
  TestFile f = read_grain(path);
  const std::string& words = f.of(BlockType::events).at(0)->payload;
  std::vector<uint64_t> first(words.size() / 8);
  memcpy(first.data(), words.data(), first.size() * 8);
  std::vector<unsigned char> packed(packed_bound(first.size()));
  packed.resize(pack_words(first.data(), first.size(), packed.data()));
  std::ofstream(dir.file("packed"), std::ios::binary)
      .write(reinterpret_cast<const char*>(packed.data()), std::streamsize(packed.size()));
  script += R"(
import struct, sys
data, at, creates, halves = open(sys.argv[1], "rb").read(), 64, 0, 0
while at + 48 <= len(data):
    magic, kind, codec, stored, raw, checksum, thread, sequence, tick, serial = struct.unpack_from("<IHHIIIIQQQ", data, at)
    assert magic == 0x4e524731
    payload = data[at + 48:at + 48 + stored]
    at += 48 + (stored + 7 & ~7)
    if kind != 6: continue
    assert serial == creates
    assert codec == 4
    words = expand(payload)
    if halves == 0: assert unpack(open(sys.argv[2], "rb").read(), len(words)) == words
    halves += len(payload) < 8 * len(words)
    extra = {1: 1, 3: 2}
    i = 0
    while i < len(words):
        k = words[i] & 63
        assert k in (1, 2, 3, 4, 9, 10, 11, 13, 29), k
        creates += k == 9 or k == 10
        i += 1 + (extra.get(k, 0) or (k == 10))
assert at == len(data)
print(creates if halves else "nothing was in halves")
)";
  std::ofstream(dir.file("read.py")) << script;
  std::string out = dir.file("out");
  EXPECT_EQ(
      std::system(("python3 " + dir.file("read.py") + " " + path + " " + dir.file("packed") + " >" + out).c_str()), 0);
  EXPECT_EQ(read_text(out), "20001\n");
}

// Every record that there is, whole and in halves: the document's code finds the words that ours finds.
TEST(RecordDocs, ItsCodeExpandsWhatOursDoes) {
  TempDir dir;
  std::ofstream payloads(dir.file("payloads"), std::ios::binary), expanded(dir.file("words"), std::ios::binary);
  std::map<Kind, int> whole, halved;
  int blocks = 0;
  auto add = [&](const std::vector<uint64_t>& words, Started& started) {
    const std::string payload = test::as_halves(words, started);
    std::vector<uint64_t> ours(expanded_bound(payload.size()));
    ours.resize(expand_halves(payload.data(), payload.size(), ours.data()));
    EXPECT_EQ(ours, words);
    Started at;
    memcpy(&at, payload.data(), sizeof at);
    const auto* units = reinterpret_cast<const unsigned char*>(payload.data()) + sizeof at;
    const unsigned char* p = units;
    walk_halves(units, payload.size() - sizeof at, at, [&](uint64_t w, const unsigned char* further, int count) {
      Unit u;
      memcpy(&u, p, sizeof u);
      ++(is_half(u) ? halved : whole)[kind_of(w)];
      p = is_half(u) ? p + sizeof u : further + count * int(sizeof(Word));
    });
    for (auto [out, bytes, size] :
         {std::tuple(&payloads, payload.data(), payload.size()),
          std::tuple(&expanded, reinterpret_cast<const char*>(ours.data()), ours.size() * 8)}) {
      const uint64_t length = size;
      out->write(reinterpret_cast<const char*>(&length), sizeof length);
      out->write(bytes, std::streamsize(size));
    }
    ++blocks;
  };
  const std::string path = dir.file("a.grain");
  for (test::GrainFile file :
       {test::rich_recording(), test::depend_recording(), test::lossy_recording(), test::limited_recording()}) {
    file.save(path);
    TestFile f = read_grain(path);
    ASSERT_FALSE(f.bad) << f.error;
    std::map<uint32_t, Started> started;
    for (const TestBlock* b : f.of(BlockType::events)) {
      std::vector<uint64_t> words(b->payload.size() / 8);
      memcpy(words.data(), b->payload.data(), words.size() * 8);
      add(words, started[b->header.thread]);
    }
  }
  // And all kinds, with what fits into a half and what does not.
  for (uint64_t delta : {uint64_t(0), uint64_t(9), kMaxDelta}) {
    for (uint32_t payload : {0u, 3u, 5000u}) {
      Started started{6000, make_id(1, 400)};
      std::vector<uint64_t> words;
      for (int k = 0; k < kFirstHalf; ++k) {
        const int extra = extra_words(Kind(k), payload);
        if (extra < 0) continue;
        words.push_back(pack(Kind(k), delta, Kind(k) == Kind::task_start_other ? 0 : payload));
        for (int i = 0; i < extra; ++i)
          words.push_back(make_id(1, 500 + uint64_t(i)) + (delta == kMaxDelta ? 1ull << 40 : 0));
      }
      add(words, started);
    }
  }
  payloads.close();
  expanded.close();
  for (const HalfForm& form : kHalfForms) EXPECT_GT(halved[form.kind], 0) << int(form.kind);
  for (int k = 0; k < kFirstHalf; ++k) EXPECT_EQ(whole[Kind(k)] > 0, extra_words(Kind(k), 0) >= 0) << k;

  std::ofstream(dir.file("expand.py")) << its_code() << R"(
import struct, sys
def pieces(path):
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at)
        yield data[at + 8:at + 8 + size]
        at += 8 + size
count = 0
for payload, words in zip(pieces(sys.argv[1]), pieces(sys.argv[2]), strict=True):
    assert expand(payload) == list(struct.unpack("<%dQ" % (len(words) // 8), words)), count
    count += 1
print(count)
)";
  const std::string out = dir.file("out");
  const std::string command = "python3 " + dir.file("expand.py") + " " + dir.file("payloads") + " " + dir.file("words");
  EXPECT_EQ(std::system((command + " >" + out).c_str()), 0);
  EXPECT_EQ(read_text(out), std::to_string(blocks) + "\n");
}

}  // namespace
}  // namespace einkorn::record

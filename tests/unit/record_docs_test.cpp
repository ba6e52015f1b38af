// docs/grain-file.md is what others write readers from: its tables say what format.h says, and its code works.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include "record/packed.h"
#include "record/recorder.h"
#include "record/stream.h"
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

TEST(RecordDocs, RecordKindsAreThoseOfTheFormat) {
  std::string text = read_text(EINKORN_GRAIN_FILE_DOC);
  std::string section = text.substr(text.find("## 4. Events"), text.find("### Identity") - text.find("## 4. Events"));
  std::map<int, std::vector<std::string>> kinds;
  for (auto& cells : rows(section)) {
    if (cells.size() == 4 && !cells[0].empty() && std::all_of(cells[0].begin(), cells[0].end(), ::isdigit)) {
      kinds[std::stoi(cells[0])] = cells;
    }
  }
  for (int k = 0; k < 64; ++k) {
    bool known = extra_words(Kind(k), 0) >= 0;
    ASSERT_EQ(kinds.count(k), known ? 1u : 0u) << "kind " << k;
    if (!known || Kind(k) == Kind::depend) continue;
    const std::string& words = kinds[k][3];
    int described = words.empty() ? 0 : int(std::count(words.begin(), words.end(), ';')) + 1;
    EXPECT_EQ(described, extra_words(Kind(k), 0)) << kinds[k][1];
  }
  // Spot checks of the names, from both ends and the middle.
  EXPECT_EQ(kinds[int(Kind::time)][1], "time");
  EXPECT_EQ(kinds[int(Kind::task_start_other)][1], "task_start_other");
  EXPECT_EQ(kinds[int(Kind::chunk_begin_long)][1], "chunk_begin_long");
  EXPECT_EQ(kinds[int(Kind::loss)][1], "loss");
  EXPECT_EQ(kinds[int(Kind::taskloop_end)][1], "taskloop_end");
}

TEST(RecordDocs, HalvesAreThoseOfTheFormat) {
  const std::string text = read_text(EINKORN_GRAIN_FILE_DOC);
  size_t begin = text.find("## 2. Codecs");
  int found = 0;
  for (auto& cells : rows(text.substr(begin, text.find("## 3. Block types") - begin))) {
    if (cells.size() != 4 || cells[0].empty() || !std::all_of(cells[0].begin(), cells[0].end(), ::isdigit)) continue;
    const int number = std::stoi(cells[0]);
    ASSERT_EQ(number, kFirstHalf + found);
    const HalfForm& form = form_of(Half(number));
    const int last = 5 + form.delta_bits;
    EXPECT_EQ(cells[2], "bits 6.." + std::to_string(last)) << number;
    if (form.payload == HalfPayload::as_it_is) {
      EXPECT_EQ(cells[3], "bits " + std::to_string(last + 1) + "..31: the same") << number;
    }
    EXPECT_EQ(cells[3] == "none: 0", form.payload == HalfPayload::none) << number;
    ++found;
  }
  EXPECT_EQ(found, 8);
}

// Records, runs the document's code on the file, and returns its exit status and what it printed.
int read_a_recording(std::string& printed) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    for (int i = 0; i < 20001; ++i) {
      uint64_t t = now();
      s->task_create(t, t + 10 + (t & 63), 1 + i % 3);
      s->task_start(t + 80, s->last_task_id());
      s->task_end(now());
    }
    close_stream(s);
    finish();
  });
  EXPECT_EQ(result.status, 0);
  std::string text = read_text(EINKORN_GRAIN_FILE_DOC);
  std::string script;
  for (size_t at = 0; (at = text.find("```python\n", at)) != std::string::npos;) {
    size_t begin = at + 10;
    at = text.find("```", begin);
    script += text.substr(begin, at - begin);
  }
  // What is recorded fast is not packed: one block's words packed here.
  TestFile f = read_grain(path);
  const std::string& words = f.of(BlockType::events).at(0)->payload;
  std::vector<uint64_t> first(words.size() / 8);
  memcpy(first.data(), words.data(), first.size() * 8);
  std::vector<unsigned char> packed(packed_bound(first.size()));
  packed.resize(pack_words(first.data(), first.size(), packed.data()));
  std::ofstream(dir.file("packed"), std::ios::binary).write(reinterpret_cast<const char*>(packed.data()), std::streamsize(packed.size()));
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
    if codec == 4: words = expand(payload)
    else: sys.exit(77)  # zstd: the machine was so slow that the writer found time for it
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
  int status = std::system(("python3 " + dir.file("read.py") + " " + path + " " + dir.file("packed") + " >" + out).c_str());
  printed = read_text(out);
  return WEXITSTATUS(status);
}

TEST(RecordDocs, ItsCodeReadsARecording) {
  std::string printed;
  int status = 77;
  for (int attempt = 0; attempt < 3 && status == 77; ++attempt) status = read_a_recording(printed);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(printed, "20001\n");
}

}  // namespace
}  // namespace einkorn::record

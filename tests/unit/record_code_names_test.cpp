// Names of code that a program makes while it runs: from what its compiler tells debuggers, and from files for perf.
// Both are the program's, and may be damaged.
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include "record/code_names.h"
#include "record/system.h"

extern "C" {
// As gdb's manual has them; found by this name among the symbols of this program.
struct JitEntry {
  JitEntry *next, *previous;
  const char* object;
  uint64_t bytes;
};
struct JitDescriptor {
  uint32_t version, action;
  JitEntry *relevant, *first;
};
JitDescriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
}

namespace einkorn::record {
namespace {

constexpr uint64_t kCode = 0x7f0012340000;  // where no file is

struct Name {
  uint64_t begin;
  std::string text;
  bool operator==(const Name&) const = default;
};

std::map<uint64_t, Name> names_in(const CodeNames& names) {
  std::map<uint64_t, Name> out;
  for (size_t at = 0; at < names.size();) {
    CodeNameRecord r;
    EXPECT_LE(at + sizeof r, names.size());
    memcpy(&r, names.bytes() + at, sizeof r);
    EXPECT_GT(r.name_bytes, 0u);
    EXPECT_LE(at + sizeof r + r.name_bytes, names.size());
    out[r.address] = {r.begin, std::string(names.bytes() + at + sizeof r, r.name_bytes)};
    at += sizeof r + r.name_bytes;
  }
  return out;
}

class CodeNamesMap : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/einkorn-code-names-XXXXXX";
    const int fd = mkstemp(name);
    ASSERT_GE(fd, 0);
    close(fd);
    path_ = name;
  }
  void TearDown() override { unlink(path_.c_str()); }
  std::map<uint64_t, Name> read(const std::string& text, const std::vector<uint64_t>& wanted) {
    std::ofstream(path_, std::ios::binary) << text;
    CodeNames names;
    for (uint64_t address : wanted) names.want(address);
    names.look_in_map(path_.c_str());
    return names_in(names);
  }
  std::string path_;
};

TEST_F(CodeNamesMap, TheFunctionThatHoldsTheAddress) {
  const std::string text = "1000 20 first\n1020 10 py::second:/a b.py\n0x2000 0x8 third one\r\n3000 1 last";
  const auto names = read(text, {0x1000, 0x101f, 0x1020, 0x1030, 0x2007, 0x3000, 0x3001, 0});
  const std::map<uint64_t, Name> expected = {{0x1000, {0x1000, "first"}},
                                             {0x101f, {0x1000, "first"}},
                                             {0x1020, {0x1020, "py::second:/a b.py"}},
                                             {0x2007, {0x2000, "third one\r"}},
                                             {0x3000, {0x3000, "last"}}};
  EXPECT_EQ(names, expected);
}

TEST_F(CodeNamesMap, TheLaterLineCounts) {
  EXPECT_EQ(read("1000 20 old\n1010 20 new\n", {0x1015}), (std::map<uint64_t, Name>{{0x1015, {0x1010, "new"}}}));
}

TEST_F(CodeNamesMap, LinesThatAreNone) {
  for (const char* text : {"", "\n\n", "1000 20\n", "1000 20 \n", "g 20 f\n", "1000 f\n", " 1000 20 f\n",
                           "-1000 20 f\n", "11111111111111111 20 f\n", "1000 ffffffffffffffffff f\n"})
    EXPECT_TRUE(read(text, {0x1000}).empty()) << text;
  // An end beyond the last address does not come round to the first.
  EXPECT_EQ(read("fffffffffffffff0 ffffffffffffffff f\n", {0x10, ~0ull}).size(), 1u);
}

TEST_F(CodeNamesMap, LongLinesAndManyOfThem) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "1000 10 a line that is not the one\n";
  text += "2000 10 " + std::string(200000, 'x') + "\n3000 10 after\n4000 10 " + std::string(70000, 'y');
  const auto names = read(text, {0x2000, 0x3000, 0x4000});
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names.at(0x2000).text, std::string(4096, 'x'));
  EXPECT_EQ(names.at(0x3000).text, "after");
  EXPECT_EQ(names.at(0x4000).text, std::string(4096, 'y'));
}

TEST_F(CodeNamesMap, OnlyRegularFilesOfTheUser) {
  std::ofstream(path_) << "1000 20 f\n";
  const std::string link = path_ + ".link", pipe = path_ + ".pipe";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {link, pipe, std::string("/tmp"), std::string("/dev/zero"), path_ + ".none"}) {
    CodeNames names;
    names.want(0x1000);
    EXPECT_FALSE(names.look_in_map(path.c_str())) << path;
  }
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path_.c_str(), 12345, 12345), 0);
    CodeNames names;
    names.want(0x1000);
    EXPECT_FALSE(names.look_in_map(path_.c_str()));
  }
  unlink(link.c_str());
  unlink(pipe.c_str());
}

TEST_F(CodeNamesMap, Damaged) {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "7f00123400" + std::to_string(10 + i % 90) + " 10 function" + std::to_string(i) + "\n";
  for (int i = 0; i < 300; ++i) {
    std::string damaged = text;
    for (int k = 0; k < 20; ++k) damaged[random() % damaged.size()] = char(random());
    damaged.resize(random() % damaged.size());
    for (auto& [address, name] : read(damaged, {kCode + 0x10, kCode + 0x55, kCode + 0x99})) {
      EXPECT_LE(name.begin, address);
      EXPECT_NE(damaged.find(name.text), std::string::npos);
    }
  }
}

TEST_F(CodeNamesMap, AsManyAtOnceAsThereIsRoomFor) {
  constexpr uint64_t kFunctions = 1000;
  std::vector<uint64_t> wanted;
  for (uint64_t i = 0; i < kFunctions; ++i) wanted.push_back(0x100000 + i);
  std::ofstream(path_, std::ios::binary) << "100000 100000 " + std::string(1000, 'x') + "\n";
  CodeNames names;
  for (uint64_t address : wanted) names.want(address);
  std::map<uint64_t, Name> found;
  int looks = 0;
  do {
    ASSERT_TRUE(names.look_in_map(path_.c_str()));
    found.merge(names_in(names));
  } while (++looks < 10 && names.is_full());
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(found.size(), kFunctions);
}

TEST_F(CodeNamesMap, NoMoreThanAReaderTakes) {
  std::vector<uint64_t> wanted;
  for (uint64_t i = 0; i < 2 * CodeNames::kMaxWanted; ++i) wanted.push_back(0x100000 + i);
  const auto names = read("100000 100000 x\n", wanted);
  EXPECT_GT(names.size(), 10'000u);
  EXPECT_LE(names.size(), CodeNames::kMaxWanted);
}

// A program that compiles each of its loops.
TEST_F(CodeNamesMap, ManyFunctions) {
  constexpr uint64_t kFunctions = 10'000;
  std::string text;
  std::vector<uint64_t> wanted;
  for (uint64_t i = 0; i < kFunctions; ++i) {
    char line[64];
    snprintf(line, sizeof line, "%llx 10 f%llu\n", 0x1000ull + 16 * i, (unsigned long long)i);
    text += line;
    wanted.push_back(0x1000 + 16 * i + 3);
    wanted.push_back(wanted[wanted.size() / 2]);
  }
  const auto names = read(text, wanted);
  ASSERT_EQ(names.size(), kFunctions);
  EXPECT_EQ(names.at(0x1000 + 16 * 9'999 + 3).text, "f9999");
}

// A line costs no look at each address that is wanted.
TEST_F(CodeNamesMap, ManyLinesForManyAddresses) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "1000 10 f\n";
  std::vector<uint64_t> wanted = {0x1008};
  for (uint64_t i = 1; i < CodeNames::kMaxWanted; ++i) wanted.push_back(0x100000000 - 64 * i);
  std::ofstream(path_, std::ios::binary) << text;
  CodeNames names;
  for (uint64_t address : wanted) names.want(address);
  const uint64_t begin = monotonic_ns();
  ASSERT_TRUE(names.look_in_map(path_.c_str()));
  EXPECT_LT(monotonic_ns() - begin, 2 * CodeNames::kMostMapNs);
  EXPECT_EQ(names_in(names), (std::map<uint64_t, Name>{{0x1008, {0x1000, "f"}}}));
}

// Numbers of processes are used again.
TEST_F(CodeNamesMap, NotOfAnEarlierProcess) {
  std::ofstream(path_) << "1000 20 f\n";
  struct stat st;
  ASSERT_EQ(stat(path_.c_str(), &st), 0);
  const uint64_t written = uint64_t(st.st_mtim.tv_sec) * 1'000'000'000 + uint64_t(st.st_mtim.tv_nsec);
  const uint64_t began = process_began_ns();
  EXPECT_LE(began, written);
  EXPECT_GT(began, written - 600'000'000'000);  // this test's process
  for (const auto& [since, found] : {std::pair(began, true), {written, true}, {written + 1, false}}) {
    CodeNames names;
    names.want(0x1000);
    EXPECT_EQ(names.look_in_map(path_.c_str(), since), found);
  }
}

// ---- what compilers tell debuggers

struct Object {
  Elf64_Ehdr header{};
  Elf64_Shdr sections[4]{};
  Elf64_Sym symbols[3]{};
  char names[32] = "\0first\0second";

  explicit Object(uint64_t code) {
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL;
    header.e_shoff = offsetof(Object, sections);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    sections[1].sh_addr = code;
    sections[1].sh_size = 0x100;
    sections[2].sh_type = SHT_SYMTAB;
    sections[2].sh_offset = offsetof(Object, symbols);
    sections[2].sh_size = sizeof symbols;
    sections[2].sh_link = 3;
    sections[3].sh_type = SHT_STRTAB;
    sections[3].sh_offset = offsetof(Object, names);
    sections[3].sh_size = sizeof names;
    symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, 0x40};
    symbols[2] = {7, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x40, 0x40};
  }
};
static_assert(std::is_standard_layout_v<Object>);

class CodeNamesDebugger : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(modules_.refresh()); }
  void TearDown() override { __jit_debug_descriptor.first = nullptr; }
  std::map<uint64_t, Name> look(const std::vector<uint64_t>& wanted) {
    CodeNames names;
    for (uint64_t address : wanted) names.want(address);
    names.look_in_memory(modules_);
    return names_in(names);
  }
  ModuleMap modules_;
};

TEST_F(CodeNamesDebugger, TheFunctionThatHoldsTheAddress) {
  Object a(kCode), b(kCode + 0x10000);
  JitEntry second = {nullptr, nullptr, reinterpret_cast<const char*>(&b), sizeof b},
           first = {&second, nullptr, reinterpret_cast<const char*>(&a), sizeof a};
  __jit_debug_descriptor.first = &first;
  const auto names = look({kCode, kCode + 0x3f, kCode + 0x41, kCode + 0x80, kCode + 0x10000, kCode + 0x200, 1});
  const std::map<uint64_t, Name> expected = {{kCode, {kCode, "first"}},
                                             {kCode + 0x3f, {kCode, "first"}},
                                             {kCode + 0x41, {kCode + 0x40, "second"}},
                                             {kCode + 0x10000, {kCode + 0x10000, "first"}}};
  EXPECT_EQ(names, expected);
}

TEST_F(CodeNamesDebugger, LookedUpOnce) {
  Object a(kCode);
  JitEntry first = {nullptr, nullptr, reinterpret_cast<const char*>(&a), sizeof a};
  __jit_debug_descriptor.first = &first;
  CodeNames names;
  names.want(kCode + 1);
  EXPECT_TRUE(names.look_in_memory(modules_));
  EXPECT_FALSE(names.look_in_memory(modules_));
  names.want(kCode + 1);
  EXPECT_FALSE(names.look_in_memory(modules_));
  names.want(kCode + 2);
  EXPECT_TRUE(names.look_in_memory(modules_));
}

TEST_F(CodeNamesDebugger, AListThatIsARingOrLeadsNowhere) {
  Object a(kCode);
  JitEntry ring = {nullptr, nullptr, reinterpret_cast<const char*>(&a), sizeof a};
  ring.next = &ring;
  __jit_debug_descriptor.first = &ring;
  EXPECT_EQ(look({kCode, 0x1234}).size(), 1u);
  ring.next = reinterpret_cast<JitEntry*>(0x10);
  EXPECT_EQ(look({kCode, 0x1234}).size(), 1u);
  ring.object = reinterpret_cast<const char*>(0x20);
  EXPECT_TRUE(look({kCode}).empty());
  __jit_debug_descriptor.first = reinterpret_cast<JitEntry*>(~0ull - 7);
  EXPECT_TRUE(look({kCode}).empty());
}

TEST_F(CodeNamesDebugger, Damaged) {
  std::mt19937_64 random(1);
  int named = 0;
  for (int i = 0; i < 3000; ++i) {
    Object a(kCode);
    auto* bytes = reinterpret_cast<unsigned char*>(&a);
    for (int k = 0; k < 3; ++k) {
      const size_t at = random() % sizeof a;
      if (random() % 2) bytes[at] = static_cast<unsigned char>(random());
      else memset(bytes + at, random() % 2 ? 0xff : 0, std::min<size_t>(8, sizeof a - at));
    }
    JitEntry entry = {nullptr, nullptr, reinterpret_cast<const char*>(&a), random() % (2 * sizeof a)};
    __jit_debug_descriptor.first = &entry;
    for (auto& [address, name] : look({kCode, kCode + 0x41})) {
      ++named;
      EXPECT_LE(name.begin, address);
      EXPECT_LE(name.text.size(), 32u);
    }
  }
  EXPECT_GT(named, 100);
}

}  // namespace
}  // namespace einkorn::record

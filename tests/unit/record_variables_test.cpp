// Large global variables: found by the symbols of this very program, and in files that are damaged in all ways; on
// which nodes they are.
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>
#include "record/elf_symbols.h"
#include "record/stream.h"
#include "record/variables.h"
#include "record_child.h"
#include "record_reader.h"

// The test program's own; 192 KiB each. The first is written to, the second never, nobody may write to the third.
extern char einkorn_test_written[192 << 10], einkorn_test_untouched[192 << 10];
char einkorn_test_written[192 << 10], einkorn_test_untouched[192 << 10];
extern const char einkorn_test_constant[192 << 10];
const char einkorn_test_constant[192 << 10] = {1};

namespace einkorn::record {
namespace {

struct ElfFile {
  explicit ElfFile(const std::vector<char>& bytes) : fd(memfd_create("elf", MFD_CLOEXEC)) {
    for (size_t done = 0; fd >= 0 && done < bytes.size();) {
      const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
      if (n <= 0) break;
      done += size_t(n);
    }
  }
  ~ElfFile() { close(fd); }
  int fd;
};

template <class T>
void put(std::vector<char>& out, const T& value) {
  const char* p = reinterpret_cast<const char*>(&value);
  out.insert(out.end(), p, p + sizeof value);
}

// A header, 300 symbols in a table (more than are read at once), their names, three sections.
std::vector<char> small_elf() {
  std::string names(1, '\0');
  std::vector<Elf64_Sym> symbols(1);
  for (int i = 0; i < 300; ++i) {
    Elf64_Sym s{};
    s.st_name = uint32_t(names.size());
    s.st_info = ELF64_ST_INFO(STB_GLOBAL, i % 2 ? STT_OBJECT : STT_FUNC);
    s.st_shndx = 1;
    s.st_value = 0x1000u * unsigned(i);
    s.st_size = 0x1000;
    symbols.push_back(s);
    names += "name" + std::to_string(i) + '\0';
  }
  Elf64_Ehdr header{};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  Elf64_Shdr table{}, texts{};
  table.sh_type = SHT_SYMTAB;
  table.sh_link = 2;
  table.sh_offset = sizeof header;
  table.sh_size = symbols.size() * sizeof(Elf64_Sym);
  texts.sh_type = SHT_STRTAB;
  texts.sh_offset = table.sh_offset + table.sh_size;
  texts.sh_size = names.size();
  header.e_shoff = texts.sh_offset + texts.sh_size;
  std::vector<char> out;
  put(out, header);
  for (const Elf64_Sym& s : symbols) put(out, s);
  out.insert(out.end(), names.begin(), names.end());
  put(out, Elf64_Shdr{});
  put(out, table);
  put(out, texts);
  return out;
}

// Names by address.
std::map<uint64_t, std::string> symbols_of(const std::vector<char>& bytes, size_t most = SIZE_MAX) {
  struct Found {
    std::map<uint64_t, std::string> all;
    size_t left;
  } found{{}, most};
  const ElfFile file(bytes);
  auto add = [](int fd, const FileSymbol& s, void* data) {
    char name[100];
    auto& to = *static_cast<Found*>(data);
    to.all[s.symbol.st_value] = std::string(name, read_name(fd, s.name_at, s.name_bytes, name, sizeof name));
    return --to.left > 0;
  };
  for_each_symbol(file.fd, add, &found);
  return found.all;
}

TEST(RecordElfSymbols, AreAllOfTheTable) {
  const auto all = symbols_of(small_elf());
  EXPECT_EQ(all.size(), 300u);  // the first one, without a name, at address 0 as well
  EXPECT_EQ(all.at(0x1000), "name1");
  EXPECT_EQ(all.at(0x1000 * 299), "name299");
  EXPECT_EQ(symbols_of(small_elf(), 5).size(), 4u);  // until it is enough
}

TEST(RecordElfSymbols, OfDamagedFilesAreFewerAndNoneIsLong) {
  const std::vector<char> good = small_elf();
  std::mt19937_64 random(1);
  size_t whole = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<char> bytes = good;
    const size_t sections = bytes.size() - 3 * sizeof(Elf64_Shdr);
    for (uint64_t k = random() % 4; k-- > 0;) {
      // In the header, in the sections' headers, or anywhere.
      const size_t where = random() % 3;
      const size_t at = where == 0   ? random() % sizeof(Elf64_Ehdr)
                        : where == 1 ? sections + random() % (bytes.size() - sections)
                                     : random() % bytes.size();
      bytes[at] = random() % 3 ? char(random()) : char(random() % 2 ? 0xff : 0);
    }
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    const auto found = symbols_of(bytes);
    whole += found.size() == 300;
    for (const auto& [address, name] : found) EXPECT_LE(name.size(), 100u);
  }
  EXPECT_GT(whole, 300u);
  EXPECT_LT(whole, 2900u);
}

struct ToldVariable {
  AllocationRecord record;
  uint64_t on = 0;
};
std::map<std::string, ToldVariable> variables_in(const TestFile& file) {
  std::map<uint32_t, std::string> names;
  for (const TestBlock* b : file.of(BlockType::sites))
    for (size_t i = 0; i < b->payload.size();) {
      SiteRecord r;
      memcpy(&r, b->payload.data() + i, sizeof r);
      if (Construct(r.construct) == Construct::variable)
        names[r.id] = std::string(b->payload.data() + i + sizeof r, r.text_bytes);
      i += sizeof r + r.text_bytes;
    }
  std::map<std::string, ToldVariable> out;
  for (const TestBlock* b : file.of(BlockType::allocations))
    for (size_t i = 0; i < b->payload.size();) {
      ToldVariable t;
      memcpy(&t.record, b->payload.data() + i, sizeof t.record);
      i += sizeof t.record;
      for (uint32_t n = 0; n < t.record.nodes; ++n, i += sizeof(uint64_t)) {
        uint64_t on;
        memcpy(&on, b->payload.data() + i, sizeof on);
        t.on += on;
      }
      out[names.at(t.record.site)] = t;
    }
  return out;
}

std::map<std::string, ToldVariable> variables_recorded(bool on_nodes) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  const auto result = in_child([&] {
    start({.path = path.c_str()});
    keep_variables(on_nodes);
    Stream* s = open_stream(true);
    memset(einkorn_test_written, 1, sizeof einkorn_test_written);
    close_stream(s);
    finish();
  });
  EXPECT_TRUE(result.ok()) << result.stderr_text;
  return variables_in(read_grain(path));
}

TEST(RecordVariables, AreThisProgramsOwn) {
  auto found = variables_recorded(true);
  ASSERT_EQ(found.count("einkorn_test_written"), 1u);
  const ToldVariable& written = found["einkorn_test_written"];
  EXPECT_EQ(written.record.blocks, 1u);
  EXPECT_EQ(written.record.bytes, sizeof einkorn_test_written);
  EXPECT_EQ(written.record.largest, sizeof einkorn_test_written);
  EXPECT_GT(written.on, sizeof einkorn_test_written * 9 / 10);
  EXPECT_EQ(found.count("einkorn_test_untouched"), 0u);
  EXPECT_EQ(found.count("einkorn_test_constant"), 0u);
  // Where nobody asks, nobody knows which have memory.
  found = variables_recorded(false);
  EXPECT_EQ(found.count("einkorn_test_untouched"), 1u);
  EXPECT_EQ(found["einkorn_test_written"].record.nodes, 0u);
  EXPECT_EQ(found.count("einkorn_test_constant"), 0u);
}

}  // namespace
}  // namespace einkorn::record

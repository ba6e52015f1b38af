// Libraries as distributions and wheels ship them: stripped. Where each function begins and ends, whose it is, and
// where its name is found.
#include <cstdlib>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <unistd.h>
#include "profile/symbols.h"
#include "profile/symbols_wanted.h"

namespace einkorn::profile {
namespace {

namespace fs = std::filesystem;
using record::Construct;

constexpr uint64_t kBase = 0x7f1200000000;

// Functions that the library does not export: led to by one exported function, by two, and through a pointer.
constexpr const char* kLibrary = R"(
#define STATIC static __attribute__((noinline, noclone))
volatile int sink;
STATIC void one_user(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i) sink = i;
    sink = n;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i) sink = 2 * i;
    sink = n;
  }
  sink = n;
}
STATIC void two_users(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 1;
}
STATIC void by_pointer(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 2;
}
void (*volatile table[])(int) = {by_pointer};
STATIC void by_method(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 3;
}
STATIC void fused(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 4;
}
STATIC void no_method(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 5;
}
STATIC void two_methods(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 6;
}
STATIC void of_a_template(int n) {
#pragma omp parallel
  sink = n;
  sink = n + 7;
}
// As Python's PyMethodDef: the second is as Cython names functions for several types, the third has no flags.
struct method {
  const char* name;
  void (*function)(int);
  int flags;
  const char* text;
} methods[] = {{"update", by_method, 3, 0},        {"__pyx_fuse_1_0_least_squares", fused, 0x82, "text"},
               {"not_a_method", no_method, 0, 0},  {"not a name", no_method, 1, 0},
               {"this", two_methods, 1, 0},        {"that", two_methods, 1, 0}};
void *PyInit_foo(void) { return 0; }
void _ZN2ns5applyIiEEvT_(int n) {
  of_a_template(n);
  sink = n;
}
void _ZN2ns5applyIjEEvT_(int n) {
  of_a_template(n);
  sink = n + 1;
}
void exported_a(int n) {
  one_user(n);
  two_users(n);
  sink = n;
}
void exported_b(int n) {
  two_users(n);
  sink = n;
}
void exported_c(int n) {
  by_pointer(n);
  table[0](n);
  sink = n;
}
)";

void shell(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) out.append(part, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

std::string build_id_of(const fs::path& file) {
  elf_version(EV_CURRENT);
  int fd = open(file.c_str(), O_RDONLY);
  Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
  const void* id;
  ssize_t n = dwelf_elf_gnu_build_id(elf, &id);
  std::string bytes(n > 0 ? static_cast<const char*>(id) : "", size_t(std::max<ssize_t>(n, 0)));
  elf_end(elf);
  close(fd);
  return bytes;
}

std::string hex(const std::string& bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", c);
    out += digits;
  }
  return out;
}

class SymbolsStripped : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/einkorn-stripped-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
    library_ = dir_ / "lib" / "libfoo.so";
    whole_ = dir_ / "whole.so";
    fs::create_directories(library_.parent_path());
    build(whole_, "");
    shell("strip -o " + library_.string() + " " + whole_.string());
    read_addresses();
  }
  void TearDown() override {
    unsetenv("DEBUGINFOD_URLS");
    fs::remove_all(dir_);
  }

  void read_addresses() {
    std::istringstream symbols(output_of("nm " + whole_.string()));
    for (std::string line; std::getline(symbols, line);) {
      std::istringstream words(line);
      std::string address, type, symbol;
      if (line[0] != ' ' && words >> address >> type >> symbol) addresses_[symbol] = std::stoull(address, nullptr, 16);
    }
  }

  void build(const fs::path& file, const std::string& flags, const char* source = kLibrary) {
    std::ofstream(dir_ / "foo.c") << source;
    shell(std::string(EINKORN_GCC) + " -g -O2 -fopenmp -fPIC -shared -Wl,--build-id " + flags + " -o " + file.string() +
          " " + (dir_ / "foo.c").string());
  }

  Module module() const { return {library_, kBase, kBase, kBase + (1 << 20), build_id_of(library_)}; }
  uint64_t address(const std::string& symbol) const {
    auto at = addresses_.find(symbol);
    EXPECT_NE(at, addresses_.end()) << symbol;
    return at == addresses_.end() ? 0 : at->second;
  }
  // Where calls in that function return to, of functions whose names contain `callee`.
  std::vector<uint64_t> returns(const std::string& function, const std::string& callee) const {
    std::istringstream code(
        output_of("objdump -d --no-show-raw-insn --disassemble=" + function + " " + whole_.string()));
    std::vector<uint64_t> found;
    bool follows = false;
    for (std::string line; std::getline(code, line);) {
      const size_t colon = line.find(":\t");
      if (colon == std::string::npos) continue;
      if (follows) found.push_back(kBase + std::stoull(line.substr(0, colon), nullptr, 16));
      follows = (line.find("call") != std::string::npos || line.find("\tbl\t") != std::string::npos) &&
                line.find(callee) != std::string::npos;
    }
    return found;
  }
  Site region(const std::string& function) const {
    const std::vector<uint64_t> calls = returns(function, "GOMP_parallel");
    EXPECT_EQ(calls.size(), 1u) << function;
    return {1, Construct::parallel, 0, kBase + address(function + "._omp_fn.0"), calls.empty() ? 0 : calls[0], ""};
  }

  fs::path dir_, library_, whole_;
  std::map<std::string, uint64_t> addresses_;
};

TEST_F(SymbolsStripped, NamedByTheOnlyFunctionThatLeadsThere) {
  Symbolizer symbolizer({module()});
  EXPECT_EQ(symbolizer.resolve(region("one_user")).function, "exported_a");
}

// Compilers of Python's language export nothing but the module's beginning.
TEST_F(SymbolsStripped, NamedAsAMethodOfAPythonModule) {
  Symbolizer symbolizer({module()});
  EXPECT_EQ(symbolizer.resolve(region("by_method")).function, "update");
  EXPECT_EQ(symbolizer.resolve(region("fused")).function, "_least_squares");
}

// Elsewhere a text beside the address of a function may be anything: an option's name, a test's.
TEST_F(SymbolsStripped, NoMethodsOutsideOfPython) {
  shell("sed -i s/PyInit_/QtInit_/g " + library_.string());
  Symbolizer symbolizer({module()});
  EXPECT_EQ(symbolizer.resolve(region("by_method")).function, "");
  EXPECT_EQ(symbolizer.resolve(region("one_user")).function, "exported_a");
}

TEST_F(SymbolsStripped, OneTemplateForSeveralTypesIsOneName) {
  Symbolizer symbolizer({module()});
  EXPECT_EQ(symbolizer.resolve(region("of_a_template")).function, "ns::apply");
}

// A name that may be another's is worse than none: the place says where the function begins.
TEST_F(SymbolsStripped, NoNameWhereSeveralLeadThere) {
  Symbolizer symbolizer({module()});
  for (const char* function : {"two_users", "by_pointer", "no_method", "two_methods"}) {
    const Source s = symbolizer.resolve(region(function));
    EXPECT_EQ(s.function, "") << function;
    EXPECT_EQ(s.line, 0u);
    EXPECT_EQ(s.module, library_);
    EXPECT_EQ(s.address, address(std::string(function) + "._omp_fn.0"));
  }
}

// gcc jumps at a function's end, with a distance of one byte where the next one is that near.
TEST_F(SymbolsStripped, AShortJumpLeadsThereToo) {
  constexpr const char* kSource = R"(
static volatile int sink;
static __attribute__((noinline)) void region(int n) {
#pragma omp parallel
  { for (int i = 0; i < 1000; ++i) sink = i; }
  sink = n;
}
void exported_a(int n) { sink = n; region(n); sink = n + 1; }
void exported_b(int n) { sink = n + 2; region(n); }
)";
  build(whole_, "", kSource);
  const std::string code = output_of("objdump -d --disassemble=exported_b " + whole_.string());
#ifdef __x86_64__
  ASSERT_NE(code.find("\teb "), std::string::npos) << code;
#endif
  fs::remove(library_);
  shell("strip -o " + library_.string() + " " + whole_.string());
  addresses_.clear();
  read_addresses();
  Symbolizer symbolizer({module()});
  EXPECT_EQ(symbolizer.resolve(region("region")).function, "");
}

// Without an end of the function, each loop in it would be taken for a combined one, whose function it is.
TEST_F(SymbolsStripped, LoopsOfOneRegionAreTwo) {
  Symbolizer symbolizer({module()});
  const std::vector<uint64_t> loops = returns("one_user._omp_fn.0", "dynamic_start");
  ASSERT_EQ(loops.size(), 2u);
  const uint64_t function = kBase + address("one_user._omp_fn.0");
  for (const uint64_t loop : loops) {
    const Source s = symbolizer.resolve({2, Construct::loop, 0, function, loop, ""});
    EXPECT_EQ(s.address, loop - 1 - kBase);
    EXPECT_EQ(s.function, "exported_a");
  }
}

// As Fedora ships its files: names of functions, compressed, in the file itself.
TEST_F(SymbolsStripped, NamesFromMiniDebugInformation) {
  const std::string mini = (dir_ / "mini").string();
  shell("objcopy -S --keep-symbol=two_users --keep-symbol=two_users._omp_fn.0 " + whole_.string() + " " + mini);
  shell("python3 -c 'import lzma, sys; sys.stdout.buffer.write(lzma.compress(sys.stdin.buffer.read()))' < " + mini +
        " > " + mini + ".xz");
  shell("objcopy --add-section .gnu_debugdata=" + mini + ".xz " + library_.string());
  Symbolizer symbolizer({module()});
  EXPECT_EQ(symbolizer.resolve(region("two_users")).function, "two_users");
}

TEST_F(SymbolsStripped, NamesFromAFolderByName) {
  const fs::path folder = dir_ / "symbols";
  for (const char* ending : {"", ".debug"}) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    fs::copy(whole_, folder / (std::string("libfoo.so") + ending));
    Symbolizer symbolizer({module()}, {{folder}});
    const Source s = symbolizer.resolve(region("two_users"));
    EXPECT_EQ(s.function, "two_users") << ending;
    EXPECT_EQ(fs::path(s.file).filename(), "foo.c");
    EXPECT_EQ(s.line, 17u);
  }
}

TEST_F(SymbolsStripped, AnotherBuildsNamesAreNotTaken) {
  const fs::path folder = dir_ / "symbols";
  fs::create_directories(folder / "libfoo.so.debug");  // no file
  build(folder / "libfoo.so", "-DOTHER -fno-omit-frame-pointer");
  ASSERT_NE(build_id_of(folder / "libfoo.so"), build_id_of(library_));
  Symbolizer symbolizer({module()}, {{folder}});
  EXPECT_EQ(symbolizer.resolve(region("two_users")).function, "");
}

TEST_F(SymbolsStripped, ServersAreAskedOnlyWhereThatIsAllowed) {
  const fs::path served = dir_ / "served" / "buildid" / hex(build_id_of(library_));
  fs::create_directories(served);
  fs::copy(whole_, served / "debuginfo");
  setenv("DEBUGINFOD_CACHE_PATH", (dir_ / "cache").c_str(), 1);
  for (const bool servers : {true, false}) {
    setenv("DEBUGINFOD_URLS", ("file://" + (dir_ / "served").string()).c_str(), 1);
    Symbolizer symbolizer({module()}, {{}, servers});
    EXPECT_EQ(symbolizer.resolve(region("two_users")).function, servers ? "two_users" : "");
    fs::remove_all(dir_ / "cache");
  }
}

TEST_F(SymbolsStripped, WhereNamesWouldBeFound) {
  const std::string id = hex(build_id_of(library_)),
                    file = ".build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
  WantedSymbols wanted = wanted_symbols(library_);
  EXPECT_TRUE(wanted.here);
  EXPECT_EQ(wanted.debug_file, file);
  EXPECT_EQ(wanted.package, "");  // in no folder where packages put files
  EXPECT_FALSE(wanted_symbols(dir_ / "foo.c").here);
  EXPECT_FALSE(wanted_symbols(dir_).here);
  EXPECT_FALSE(wanted_symbols("/dev/zero").here);

  // A dpkg-query that knows what the file says, and fails for all else.
  const fs::path query = dir_ / "dpkg-query", known = dir_ / "known";
  std::ofstream(query) << "#!/bin/sh\n[ \"$1\" = --search ] && grep -e \": $2\\$\" '" << known.string() << "'\n";
  fs::permissions(query, fs::perms::owner_all);
  const std::string path = getenv("PATH");
  setenv("PATH", (dir_.string() + ":" + path).c_str(), 1);
  const std::string program = fs::canonical("/usr/bin/env");
  const auto package = [&](const std::string& says) {
    std::ofstream(known) << says;
    return wanted_symbols(program).package;
  };
  EXPECT_EQ(package("others: /usr/bin/envelope\n"), "");
  EXPECT_EQ(package("some-tools: " + program + "\n"), "some-tools");
  EXPECT_EQ(package("some-tools:amd64, others: " + program + "\n"), "some-tools");
  EXPECT_EQ(package("diversion by others from: " + program + "\nsome-tools: " + program + "\n"), "some-tools");
  EXPECT_EQ(package("some-tools: " + program.substr(4) + "\n"), "some-tools");  // from before /usr/bin was /bin
  fs::remove(query);
  setenv("PATH", dir_.c_str(), 1);  // no dpkg
  EXPECT_EQ(wanted_symbols(program).package, "");
  setenv("PATH", path.c_str(), 1);
}

// Tables that say nonsense: no name, no crash.
TEST_F(SymbolsStripped, DamagedTables) {
  std::istringstream sections(output_of("readelf -SW " + library_.string()));
  std::string line;
  size_t offset = 0, size = 0;
  while (std::getline(sections, line)) {
    const size_t at = line.find(" .eh_frame_hdr ");
    if (at != std::string::npos) sscanf(line.c_str() + at, " .eh_frame_hdr PROGBITS %*x %zx %zx", &offset, &size);
  }
  ASSERT_GT(size, 20u);
  const Module recorded = module();
  const Site regions[] = {region("one_user"), region("two_users"), region("by_pointer")};
  for (const size_t at : {0u, 1u, 8u, 11u, 12u, 16u, 19u}) {
    for (const char value : {'\x7f', '\x00', '\xff'}) {
      std::fstream file(library_, std::ios::in | std::ios::out | std::ios::binary);
      char old;
      file.seekg(long(offset + at)).get(old);
      file.seekp(long(offset + at)).put(value).flush();
      Symbolizer symbolizer({recorded});
      for (const Site& site : regions) {
        const std::string name = symbolizer.resolve(site).function;
        EXPECT_TRUE(name.empty() || name == "exported_a") << name;
      }
      file.seekp(long(offset + at)).put(old);
    }
  }
}

}  // namespace
}  // namespace einkorn::profile

// Programs built by both compilers at several levels, run on a runtime that notes what it is told; every site must
// resolve to the line that the source marks.
#include "profile/symbols.h"
#include <cstdlib>
#include <ctime>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include "profile/build_id.h"
#include "profile/opened_file.h"
#include "profile/symbols_names.h"

namespace einkorn::profile {
namespace {

namespace fs = std::filesystem;
using record::Construct;
using Lines = std::map<std::string, std::set<uint32_t>>;

const fs::path kFixture = EINKORN_SYMBOLS_FIXTURE;

void shell(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

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

// The lines that the source marks with @construct.
Lines marked_lines() {
  Lines lines;
  std::ifstream in(kFixture / "program.cc");
  std::string text;
  for (uint32_t number = 1; std::getline(in, text); ++number) {
    size_t at = text.find("// @");
    if (at != std::string::npos && text.find("#pragma") != std::string::npos) lines[text.substr(at + 4)].insert(number);
  }
  return lines;
}

Construct construct_of(const std::string& name) {
  for (Construct c : {Construct::parallel, Construct::task, Construct::taskwait, Construct::barrier, Construct::loop,
                      Construct::critical}) {
    if (name == construct_name(c)) return c;
  }
  return Construct::unknown;
}

struct Recorded {
  fs::path program;
  Module module;
  std::vector<Site> sites;
};

class Symbols : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/einkorn-symbols-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
    shell(std::string(EINKORN_GCC) + " -shared -fPIC -O1 -o " + (dir_ / "libstub.so").string() + " " +
          (kFixture / "runtime.c").string());
  }
  void TearDown() override { fs::remove_all(dir_); }

  // `text`: whether the sites keep clang's text, which would answer everything by itself.
  Recorded build_and_run(const std::string& compiler, const std::string& flags, bool text = true) {
    Recorded run;
    run.program = dir_ / "program";
    fs::path object = dir_ / "program.o", sites = dir_ / "sites";
    uint16_t compiler_flag = compiler.find("clang") != std::string::npos ? record::kSiteClang : 0;
    shell(compiler + " -fopenmp -c " + flags + " -o " + object.string() + " " + (kFixture / "program.cc").string());
    shell(std::string(EINKORN_GXX) + " -Wl,--build-id -o " + run.program.string() + " " + object.string() + " -L" +
          dir_.string() + " -lstub -Wl,-rpath," + dir_.string());
    shell("SITES=" + sites.string() + " " + run.program.string());
    run.module.path = run.program;
    run.module.build_id = build_id_of(run.program);
    std::ifstream in(sites);
    std::string construct, psource;
    uint64_t function, return_address;
    while (in >> construct >> std::hex >> function >> return_address >> psource) {
      if (construct == "base") {
        run.module.base = function;
        run.module.begin = function;
        run.module.end = function + fs::file_size(run.program) + (1 << 20);
      } else if (construct_of(construct) != Construct::unknown) {
        run.sites.push_back({uint32_t(run.sites.size() + 1), construct_of(construct), compiler_flag, function,
                             return_address, text && psource != ";" ? psource : ""});
      }
    }
    EXPECT_GT(run.sites.size(), 10u);
    return run;
  }

  static void expect_marked_lines(const Recorded& run, const SymbolOptions& options = {}) {
    Symbolizer symbolizer({run.module}, options);
    Lines found, marked = marked_lines();
    for (const Site& site : run.sites) {
      Source s = symbolizer.resolve(site);
      // gcc's calls for a loop carry no line of their own but that of the `for` behind the directive.
      bool next_line =
          site.construct == Construct::loop && !(site.flags & record::kSiteClang) && marked["loop"].count(s.line - 1);
      found[s.construct].insert(next_line ? s.line - 1 : s.line);
      EXPECT_EQ(fs::path(s.file).filename(), "program.cc");
      EXPECT_EQ(s.module, run.program);
      EXPECT_FALSE(s.function.empty());
      EXPECT_EQ(s.function.find("omp"), std::string::npos) << s.function;
    }
    EXPECT_EQ(found, marked);
  }

  fs::path dir_;
};

class SymbolsOf : public Symbols, public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(SymbolsOf, FindTheMarkedLines) {
  expect_marked_lines(build_and_run(GetParam().first, std::string("-g ") + GetParam().second));
}

TEST_P(SymbolsOf, FindTheMarkedLinesWithoutClangsText) {
  expect_marked_lines(build_and_run(GetParam().first, std::string("-g ") + GetParam().second, false));
}

// Where jumps may lead is marked in the code, also in the entries of the procedure linkage table.
#ifdef __aarch64__
constexpr const char* kMarkedTargets = "-O2 -mbranch-protection=standard";
#else
constexpr const char* kMarkedTargets = "-O2 -fcf-protection";
#endif

INSTANTIATE_TEST_SUITE_P(Builds, SymbolsOf,
                         testing::Values(std::pair{EINKORN_GXX, "-O0"}, std::pair{EINKORN_GXX, "-O1"},
                                         std::pair{EINKORN_GXX, "-O2"}, std::pair{EINKORN_GXX, "-O3"},
                                         std::pair{EINKORN_GXX, "-O2 -fno-plt"}, std::pair{EINKORN_GXX, kMarkedTargets},
                                         std::pair{EINKORN_GXX, "-O2 -gdwarf-4"}, std::pair{EINKORN_CLANGXX, "-O0"},
                                         std::pair{EINKORN_CLANGXX, "-O2"},
                                         std::pair{EINKORN_CLANGXX, "-O2 -gdwarf-4"}));

class SymbolsFiles : public Symbols {};

// The file as a distribution ships it: stripped, its debug information elsewhere under its build-id.
TEST_F(SymbolsFiles, SeparateDebugInformationByBuildId) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  std::string id;
  for (unsigned char c : run.module.build_id) {
    char hex[3];
    snprintf(hex, sizeof hex, "%02x", c);
    id += hex;
  }
  fs::path root = dir_ / "debug", file = root / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug");
  fs::create_directories(file.parent_path());
  shell("objcopy --only-keep-debug " + run.program.string() + " " + file.string());
  shell("strip " + run.program.string());
  expect_marked_lines(run, {{root}});
}

TEST_F(SymbolsFiles, SeparateDebugInformationByLink) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  fs::path file = dir_ / "program.debug";
  shell("objcopy --only-keep-debug " + run.program.string() + " " + file.string());
  shell("strip " + run.program.string());
  shell("objcopy --add-gnu-debuglink=" + file.string() + " " + run.program.string());
  expect_marked_lines(run);
}

TEST_F(SymbolsFiles, WithoutDebugInformationNamesAndAddresses) {
  for (const char* compiler : {EINKORN_GXX, EINKORN_CLANGXX}) {
    Recorded run = build_and_run(compiler, "-g0 -O1");
    Symbolizer symbolizer({run.module});
    std::set<std::string> names;
    for (const Site& site : run.sites) {
      Source s = symbolizer.resolve(site);
      EXPECT_EQ(s.line, 0u);
      EXPECT_EQ(s.file, "");
      EXPECT_EQ(s.module, run.program);
      EXPECT_GT(s.address, 0u);
      EXPECT_LT(s.address, fs::file_size(run.program));
      names.insert(s.function);
    }
    EXPECT_TRUE(names.count("fib")) << compiler;
    EXPECT_TRUE(names.count("deep::Box<int>::sum")) << compiler;
  }
}

TEST_F(SymbolsFiles, StrippedWithoutDebugInformationStillHasAddresses) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  shell("strip " + run.program.string());
  Symbolizer symbolizer({run.module});
  for (const Site& site : run.sites) {
    Source s = symbolizer.resolve(site);
    EXPECT_EQ(s.line, 0u);
    EXPECT_EQ(s.module, run.program);
    EXPECT_GT(s.address, 0u);
  }
}

// Built again since it was recorded: lines would be those of another source.
TEST_F(SymbolsFiles, AnotherBuildGivesNoLine) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  build_and_run(EINKORN_GXX, "-g -O0");
  Symbolizer symbolizer({run.module});
  for (const Site& site : run.sites) {
    Source s = symbolizer.resolve(site);
    EXPECT_EQ(s.line, 0u);
    EXPECT_EQ(s.function, "");
    EXPECT_EQ(s.module, run.program);
    EXPECT_GT(s.address, 0u);
  }
}

TEST_F(SymbolsFiles, MissingOrSpoiledFilesGiveNoLine) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  auto expect_no_lines = [&] {
    Symbolizer symbolizer({run.module});
    for (const Site& site : run.sites) EXPECT_EQ(symbolizer.resolve(site).line, 0u);
  };
  auto size = fs::file_size(run.program);
  for (auto part : {size / 2, size / 10, uintmax_t(100), uintmax_t(0)}) {
    fs::resize_file(run.program, part);
    Symbolizer symbolizer({run.module});
    for (const Site& site : run.sites) symbolizer.resolve(site);  // whatever it says, it must survive
  }
  expect_no_lines();
  fs::remove(run.program);
  expect_no_lines();
  fs::create_directory(run.program);
  expect_no_lines();
}

TEST_F(SymbolsFiles, AddressesOutsideAllModules) {
  Symbolizer symbolizer({Module{"/nowhere", 0x1000, 0x1000, 0x2000, ""}, Module{"", 0, 0, 0, ""}});
  for (uint64_t address : {0ull, 1ull, 0x1000ull, 0x1fffull, 0x2000ull, ~0ull}) {
    for (auto c : {Construct::task, Construct::taskwait, Construct::loop}) {
      Source s = symbolizer.resolve({1, c, 0, address, address, ";unknown;unknown;0;0;;"});
      EXPECT_EQ(s.line, 0u);
      EXPECT_EQ(s.construct, construct_name(c));
    }
  }
}

// All the copies that a compiler makes of a function begin at the same directive.
TEST_F(SymbolsFiles, ClonesAreOneSource) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O3");
  Symbolizer symbolizer({run.module});
  std::map<uint32_t, std::set<std::string>> functions;
  for (const Site& site : run.sites) {
    Source s = symbolizer.resolve(site);
    if (site.construct == Construct::task) functions[s.line].insert(s.function);
  }
  EXPECT_EQ(functions.size(), marked_lines()["task"].size());
  for (auto& [line, names] : functions) EXPECT_EQ(names.size(), 1u) << line;
}

TEST_F(SymbolsFiles, InlinedFramesInnermostFirst) {
  for (const char* compiler : {EINKORN_GXX, EINKORN_CLANGXX}) {
    Recorded run = build_and_run(compiler, "-g -O2", false);
    Symbolizer symbolizer({run.module});
    int seen = 0;
    for (const Site& site : run.sites) {
      Source s = symbolizer.resolve(site);
      if (site.construct != Construct::taskwait || s.function != "small") continue;
      ++seen;
      ASSERT_EQ(s.inlined.size(), 2u) << compiler;
      EXPECT_EQ(s.inlined[0], "small " + s.file + ":" + std::to_string(s.line));
      EXPECT_EQ(s.inlined[1].rfind("main " + s.file + ":", 0), 0u) << s.inlined[1];
    }
    EXPECT_EQ(seen, 1) << compiler;
  }
}

TEST_F(SymbolsFiles, AThousandSitesTakeWellUnderASecond) {
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  const std::clock_t begin = std::clock();  // CPU time: others may have the CPUs
  Symbolizer symbolizer({run.module});
  for (int i = 0; i < 1000; ++i) symbolizer.resolve(run.sites[size_t(i) % run.sites.size()]);
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 0.5);  // 0.006 s in 2026
}

TEST_F(SymbolsFiles, ServersAreNotAskedUnlessAllowed) {
  setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9", 1);
  Recorded run = build_and_run(EINKORN_GXX, "-g0 -O2");
  Symbolizer symbolizer({run.module});
  for (const Site& site : run.sites) symbolizer.resolve(site);
  EXPECT_EQ(getenv("DEBUGINFOD_URLS"), nullptr);
}

// Of code in no file, the name that was recorded; of a region of a pool, its caller's, which may be in a file, too.
TEST_F(SymbolsFiles, CodeMadeAtRunTime) {
  const CodeNames names = {
      {0x5000, "region"}, {0x50ff, "_ZN8__main__5heavyB2v2B12c8tJTC_2fWQAE5ArrayIdE"}, {0x70ff, ""}};
  Symbolizer symbolizer({}, {}, names);
  EXPECT_EQ(symbolizer.resolve({1, Construct::parallel, 0, 0x5000, 0x5100, ""}).function, "region");
  EXPECT_EQ(symbolizer.resolve({1, Construct::parallel, 0, 0x6000, 0x5100, ""}).function, "__main__::heavy");
  EXPECT_EQ(symbolizer.resolve({1, Construct::taskwait, 0, 0x5000, 0x5100, ""}).function, "__main__::heavy");
  EXPECT_EQ(symbolizer.resolve({1, Construct::parallel, 0, 0x6000, 0x7100, ""}).function, "");
  Recorded run = build_and_run(EINKORN_GXX, "-g -O2");
  Symbolizer with_file({run.module}, {}, names);
  for (Site site : run.sites) {
    if (site.construct != Construct::parallel) continue;
    const std::string own = with_file.resolve(site).function;
    EXPECT_NE(own, "");
    site.flags |= record::kSiteThroughPool;
    EXPECT_EQ(with_file.resolve(site).function, own);  // the call into the runtime is in it
    site.return_address = 0x5100;
    const Source s = with_file.resolve(site);
    EXPECT_EQ(s.function, "__main__::heavy");
    EXPECT_EQ(s.line, 0u);
    EXPECT_EQ(s.address, 0x50ffu);
    site.construct = Construct::barrier_parallel;
    EXPECT_EQ(with_file.resolve(site).function, "__main__::heavy");
    return;
  }
  FAIL() << "no region";
}

// A recording may name anything: nobody waits for a FIFO's writer.
TEST(Files, OnlyRegularOnesAreOpened) {
  const fs::path fifo = fs::temp_directory_path() / ("einkorn-fifo-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const fs::path& path : {fifo, fs::path("/dev/zero"), fs::temp_directory_path()}) {
    EXPECT_EQ(profile::build_id_of_file(path.string()), "") << path;
    EXPECT_EQ(OpenedFile(path.string()).module(), nullptr) << path;
  }
  EXPECT_NE(OpenedFile("/proc/self/exe").module(), nullptr);
  fs::remove(fifo);
}

TEST(SymbolsNames, CodeMadeAtRunTime) {
  EXPECT_EQ(made_code_name("_ZN8__main__5heavyB2v2B12c8tJTC_2fWQAE5ArrayIdLi1E1C7mutable7alignedE"), "__main__::heavy");
  EXPECT_EQ(made_code_name(".kernel.140736900402368___ufunc__._ZN8__main__5ufuncB2v1B8c8tJTIeFEdd"), "__main__::ufunc");
  EXPECT_EQ(made_code_name("_ZN8__main__5outer12_3clocals_3e5innerB2v1Ed"), "__main__::outer::<locals>::inner");
  for (const char* other : {"py::f:/home/x/f.py", "LazyCompile:~f a.js:1", "plain", "_Znonsense", "a_Z1f", "x.", "",
                            "_Z", "_ZN9x", "_ZN1fB9x", "_ZN99999999999999999999999x"})
    EXPECT_EQ(made_code_name(other), other);
  // A recording may say anything: a demangler took a minute and gigabytes for such names.
  EXPECT_EQ(made_code_name(
                "_Z1fSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8"
                "_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI"
                "_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_ES_ISO_SO_ES_ISP_SP_E"),
            "f");
  std::string escaped;
  for (int i = 0; i < 300'000; ++i) escaped += "_3c";
  EXPECT_EQ(made_code_name("_Z900000" + escaped), std::string(300'000, '<'));
}

TEST(SymbolsNames, WithoutArguments) {
  EXPECT_EQ(without_arguments("ns::Box<int, A<(1)>>::sum<false>"), "ns::Box::sum");
  EXPECT_EQ(without_arguments("plain"), "plain");
  EXPECT_EQ(without_arguments("A<int>::operator<"), "A<int>::operator<");
  EXPECT_EQ(without_arguments("a<b"), "a<b");
  EXPECT_EQ(without_arguments("a>b"), "a>b");
}

TEST(SymbolsNames, UserSymbols) {
  EXPECT_EQ(user_symbol("main._omp_fn.0"), "main");
  EXPECT_EQ(user_symbol("main._omp_fn.0.constprop.1.isra.0.cold"), "main");
  EXPECT_EQ(user_symbol("_Z3fibi.omp_outlined_debug__.4"), "_Z3fibi");
  EXPECT_EQ(user_symbol(".omp_task_entry..3"), "");
  EXPECT_EQ(user_symbol("work.part.0"), "work");
  EXPECT_EQ(user_symbol("memcpy@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(user_symbol(""), "");
}

TEST(SymbolsNames, ReadableNames) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("_Z3fibi"), "fib");
  EXPECT_EQ(readable_name("_ZN2ns3BoxIiE3sumEi"), "ns::Box<int>::sum");
  EXPECT_EQ(readable_name("_ZZ4mainENKUliE_clEi"), "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14workEPFviE"), "(anonymous namespace)::work");
  EXPECT_EQ(readable_name("_Z5applyIiEvT_"), "apply<int>");     // void apply<int>(int)
  EXPECT_EQ(readable_name("_ZNK3VeclsEi"), "Vec::operator<<");  // Vec::operator<<(int) const
  EXPECT_EQ(readable_name("_ZN3VeccvbEv"), "Vec::operator bool");
  EXPECT_EQ(readable_name("_Znwm"), "operator new");
  EXPECT_EQ(readable_name("_Zbroken("), "_Zbroken(");
}

TEST(SymbolsNames, VariablesAsInTheSource) {
  EXPECT_EQ(variable_in_source("count"), "count");
  EXPECT_EQ(variable_in_source("count.0"), "count");
  EXPECT_EQ(variable_in_source("main.count"), "main::count");
  EXPECT_EQ(variable_in_source("main.count.12"), "main::count");
  EXPECT_EQ(variable_in_source("__fields_MOD_grid"), "fields::grid");
  EXPECT_EQ(variable_in_source("_ZZ1fIdEviE4grid"), readable_variable("_ZZ1fIdEviE4grid"));
  EXPECT_EQ(variable_in_source(".L.str"), ".L.str");
  EXPECT_EQ(variable_in_source("switch.table.f"), "switch.table.f");
  EXPECT_EQ(variable_in_source(".0"), ".0");
  EXPECT_EQ(variable_in_source("count."), "count.");
  EXPECT_EQ(variable_in_source(""), "");
}

TEST(SymbolsNames, ClangText) {
  ClangText t;
  ASSERT_TRUE(parse_clang_text(";src/t.c;ns::Box<int>::sum;14;1;;", t));
  EXPECT_EQ(t.file, "src/t.c");
  EXPECT_EQ(t.function, "ns::Box<int>::sum");
  EXPECT_EQ(t.line, 14u);
  for (const char* bad : {"", ";", ";unknown;unknown;0;0;;", ";t.c;f;x;1;;", ";t.c;f;-4;1;;", ";t.c;f", ";t.c;f;14",
                          "t.c;f;14;1;;", ";t.c;f;99999999999;1;;", ";;;;;;"}) {
    EXPECT_FALSE(parse_clang_text(bad, t)) << bad;
  }
}

}  // namespace
}  // namespace einkorn::profile

// What `einkorn cc` understands of a compiler's command line, and the commands that it makes of it.
#include <gtest/gtest.h>

#include "cli/compile_command.h"
#include "cli/dependency_file.h"
#include "cli/response_file.h"
#include "cli/translated_compile.h"

namespace einkorn::cli {
namespace {

using Words = std::vector<std::string>;

CompileCommand read(const std::string& line) { return read_compile_command(response_words(line)); }

std::string inputs_of(const CompileCommand& command) {
  std::string out;
  for (const CompileInput& input : command.inputs)
    out += (out.empty() ? "" : " ") + input.path + (input.is_c ? ":c" : input.is_source ? ":source" : "");
  return out;
}

TEST(ResponseFile, WordsAreSeparatedAndProtectedAsGccDoes) {
  EXPECT_EQ(response_words(" a\t'b c'\n\"d 'e'\" f\\ g \\\\ '' \"\\\"\""),
            (Words{"a", "b c", "d 'e'", "f g", "\\", "", "\""}));
  const Words words{"a b", "", "\"x\"", "\\", "'", "-DX=\"y z\""};
  EXPECT_EQ(response_words(response_text(words)), words);
}

TEST(ResponseFile, AFileThatIsNotThereStaysAWord) {
  bool any = true;
  EXPECT_EQ(expand_response_files({"@/no/such/file", "@"}, &any), (Words{"@/no/such/file", "@"}));
  EXPECT_FALSE(any);
}

TEST(CompileCommand, ArgumentsOfOptionsAreNoInputs) {
  EXPECT_EQ(
      inputs_of(read("-I a.c -D b.c -include c.c -o d.c -MF e.c -isystem f.c -Xlinker g.c -L h.c -u i.c -x c j.h k.c")),
      "j.h:c k.c:c");
  EXPECT_EQ(inputs_of(read("-Ia.c -ob.c -lc.c -Wl,d.c --sysroot e.c --param f.c -specs=g.c k.c")), "k.c:c");
}

TEST(CompileCommand, InputsAreToldApartBySuffixAndX) {
  EXPECT_EQ(
      inputs_of(read(
          "a.c a.cpp a.C a.s a.S a.f90 a.i a.o a.so.1 lib.a dir.c/x - -x c++ b.c -x none c.c -xc d -x cpp-output e.c")),
      "a.c:c a.cpp:source a.C:source a.s:source a.S:source a.f90:source a.i:source a.o a.so.1 lib.a dir.c/x - b.c:source c.c:c d:c "
      "e.c:source");
  EXPECT_EQ(inputs_of(read("-x c -")), "-:source");
}

TEST(CompileCommand, WhatIsMade) {
  EXPECT_EQ(read("a.c").goal, Goal::link);
  EXPECT_EQ(read("-c a.c").goal, Goal::object);
  EXPECT_EQ(read("-c -S a.c").goal, Goal::assembly);
  for (const char* line :
       {"-E a.c", "-c -E a.c", "-E -c a.c", "-M a.c", "-MM -c a.c", "-fsyntax-only -c a.c", "--version", "-### -c a.c"})
    EXPECT_EQ(read(line).goal, Goal::other) << line;
  EXPECT_EQ(read("-MD -MMD -MP -c a.c").goal, Goal::object);
}

TEST(CompileCommand, TheLastWordOnOpenMPCounts) {
  EXPECT_TRUE(read("-fopenmp a.c").openmp);
  EXPECT_TRUE(read("-fno-openmp -fopenmp=libomp a.c").openmp);
  EXPECT_FALSE(read("-fopenmp -fno-openmp a.c").openmp);
  EXPECT_FALSE(read("-fopenmp-simd -D -fopenmp a.c -o -fopenmp").openmp);
}

TEST(CompileCommand, AnOptionWithoutItsArgument) {
  EXPECT_FALSE(read("a.c -o").whole);
  EXPECT_FALSE(read("a.c -include").whole);
  EXPECT_TRUE(read("a.c -o b").whole);
}

TEST(CompileCommand, FlagsOfTheCompile) {
  const CompileCommand command = read(
      "-c -I x -DA=1 -std=c99 -o a.o -MD -MF a.d -MT t -Wp,-MMD,k -undef -O2 a.c -lm -L y -Wl,-z -Xlinker -q -static -shared -x c -pthread");
  EXPECT_EQ(command.words_of(WordKind::flag), (Words{"-I", "x", "-DA=1", "-std=c99", "-undef", "-O2", "-pthread"}));
}

TEST(CompileCommand, NamesOfFiles) {
  EXPECT_EQ(folder_of_file("a/b.c/d.e.c"), "a/b.c/");
  EXPECT_EQ(folder_of_file("d.c"), "");
  EXPECT_EQ(without_suffix("a.b/d"), "a.b/d");
  EXPECT_EQ(without_suffix("a.b/d.e.c"), "a.b/d.e");
  const auto dependencies = [](const std::string& line) {
    const CompileCommand command = read(line);
    return dependency_file_of(command, command.inputs[0]);
  };
  EXPECT_EQ(dependencies("-MD -c s/a.c"), "a.d");
  EXPECT_EQ(dependencies("-MD s/a.c"), "a-a.d");
  EXPECT_EQ(dependencies("-MD s/a.c -o o/app.exe"), "o/app.d");
  EXPECT_EQ(dependencies("-MD s/a.c -o o/app.exe -MFx.d"), "x.d");
  EXPECT_EQ(dependencies("-MD s/a.c -o o/app.exe -MF x.d"), "x.d");
  EXPECT_EQ(dependencies("-Wp,-MD,k.d -c s/a.c -o o/a.o"), "k.d");
}

TEST(DependencyFile, NamesAreEscapedForMake) {
  EXPECT_EQ(make_word("a b$c#d\\e"), "a\\ b$$c\\#d\\e");
  EXPECT_EQ(make_word("a\\ b"), "a\\\\\\ b");
}

TEST(DependencyFile, TheSourceTakesThePlaceOfWhatWasRead) {
  EXPECT_EQ(name_source("x.o: /tmp/q\\ r/x.c \\\n h.h\n\nh.h:\n", "/tmp/q r/x.c", "s d/x.c"),
            "x.o: s\\ d/x.c \\\n h.h\n\nh.h:\n");
  EXPECT_EQ(add_source("a b: h.h g.h\ng.h:\n", "x.c", true), "a b: x.c h.h g.h\ng.h:\nh.h:\n");
  EXPECT_EQ(add_source("c:d: \\\n h\\ 1.h\n", "x.c", true), "c:d: x.c \\\n h\\ 1.h\nh\\ 1.h:\n");
  EXPECT_EQ(add_source("x.o:\n", "x.c", true), "x.o: x.c\n");
  EXPECT_EQ(add_source("x.o: h.h\n", "x.c", false), "x.o: x.c h.h\n");
  EXPECT_EQ(add_source("", "x.c", true), "");
}

std::vector<CompileStep> steps(const std::string& line, const std::vector<size_t>& which,
                               CompilerKind kind = CompilerKind::gcc) {
  const CompileCommand command = read(line);
  std::vector<TranslatedInput> translated;
  for (const size_t i : which)
    translated.push_back({i, "/t/" + std::to_string(i) + "/" + name_of_file(command.inputs[i].path)});
  return translated_steps(command, translated, kind, "/h", "/t");
}

TEST(TranslatedCompile, ClangReadsOtherContentsOfTheSameFile) {
  const auto made = steps("-c s/a.c b.c", {0, 1}, CompilerKind::clang);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].words, (Words{"-Xclang", "-remap-file", "-Xclang", "s/a.c;/t/0/a.c", "-Xclang", "-remap-file",
                                  "-Xclang", "b.c;/t/1/b.c", "-isystem", "/h", "-c", "s/a.c", "b.c"}));
}

TEST(TranslatedCompile, ASourceWithoutFolderIsPiped) {
  const auto made = steps("-c a.c", {0});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].words, (Words{"-c", "-x", "c", "-", "-o", "a.o", "-dumpbase", "a.c", "-dumpbase-ext", ".c",
                                  "-fdebug-prefix-map=<stdin>=a.c", "-isystem", "/h", "-Wno-builtin-macro-redefined",
                                  "-D__BASE_FILE__=\"a.c\""}));
  EXPECT_EQ(made[0].standard_input, "/t/0/a.c");
}

TEST(TranslatedCompile, ASourceInAFolderLiesElsewhereAndItsFolderIsLookedIntoFirst) {
  const auto made = steps("-iquote q -MMD -o app s/a.c x.o -lm", {0});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].words, (Words{"-iquote", "s/", "-iquote", "q", "-MMD", "-o", "app", "/t/0/a.c", "x.o", "-lm", "-MF",
                                  "/t/0/a.c.d", "-MQ", "app", "-fdebug-prefix-map=/t/0/a.c=s/a.c", "-isystem", "/h",
                                  "-Wno-builtin-macro-redefined", "-D__BASE_FILE__=\"s/a.c\""}));
  ASSERT_EQ(made[0].fixes.size(), 1u);
  EXPECT_EQ(made[0].fixes[0].wanted, "app.d");
}

TEST(TranslatedCompile, OfSeveralSourcesEachIsCompiledAloneAndTheRestAsItWas) {
  auto made = steps("a.c -x c b.inc -x none s/d.c c.cpp x.o -lm -o app", {0, 1});
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[1].words, (Words{"-c",
                                  "-o",
                                  "/t/1.o",
                                  "-dumpdir",
                                  "app-",
                                  "-x",
                                  "c",
                                  "-x",
                                  "c",
                                  "-",
                                  "-x",
                                  "c",
                                  "-dumpbase",
                                  "b.inc",
                                  "-dumpbase-ext",
                                  ".inc",
                                  "-fdebug-prefix-map=<stdin>=b.inc",
                                  "-isystem",
                                  "/h",
                                  "-Wno-builtin-macro-redefined",
                                  "-D__BASE_FILE__=\"b.inc\""}));
  EXPECT_EQ(made[2].words, (Words{"-x", "none", "/t/0.o", "-x", "c", "-x", "none", "/t/1.o", "-x", "c", "-x", "none",
                                  "s/d.c", "c.cpp", "x.o", "-lm", "-o", "app"}));
  made = steps("-c a.c b.c", {0, 1});
  ASSERT_EQ(made.size(), 2u);  // nothing is left
  made = steps("-c a.c b.cpp", {0});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[1].words, (Words{"-c", "b.cpp"}));
}

}  // namespace
}  // namespace einkorn::cli

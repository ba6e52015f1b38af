// Which files are read as source, whatever a recording names.
#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include "../scratch.h"
#include "report/page/source.h"
#include "report/page/source_files.h"

namespace einkorn::report {
namespace {

namespace fs = std::filesystem;

// A program compiled in DIR/app/build from DIR/app/src; the user stands in DIR/here.
class SourceFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = test::scratch("");
    ASSERT_TRUE(fs::create_directory(name));
    dir = fs::canonical(name);
    before = fs::current_path();
    for (const char* folder : {"app/build", "app/src", "app/include", "app/src/.git", "here", "elsewhere"})
      fs::create_directories(dir / folder);
    fs::current_path(dir / "here");
    profile.source_folders = {dir / "app/build", dir / "app/src"};
    options.refused = &refused;
  }
  void TearDown() override {
    fs::current_path(before);
    fs::remove_all(dir);
  }
  std::string make(const std::string& file, const std::string& text = "secret\n") {
    std::ofstream(dir / file) << text;
    return (dir / file).string();
  }
  SourceFiles::Text read(const std::string& path) { return SourceFiles(profile, options).read(path); }
  bool reads(const std::string& path) { return !read(path).lines.empty(); }

  fs::path dir, before;
  profile::Profile profile;
  SourceOptions options;
  std::set<std::string> refused;
};

TEST_F(SourceFilesTest, SourceOfTheProgramIsRead) {
  for (const char* file : {"app/src/a.c", "app/src/b.f90", "app/include/c.hpp", "app/build/d.cc", "here/e.cpp"})
    EXPECT_TRUE(reads(make(file))) << file;
  EXPECT_TRUE(refused.empty());
  EXPECT_TRUE(reads("/usr/include/stdio.h"));
  EXPECT_EQ(read(make("app/src/lines.c", "one\r\ntwo\n\nfour")).lines,
            (std::vector<std::string>{"one", "two", "", "four"}));
}

TEST_F(SourceFilesTest, NothingElseIs) {
  fs::create_symlink(make("elsewhere/key.c"), dir / "app/src/link.c");
  const std::vector<std::string> files = {
      "/proc/self/environ",  "/proc/self/status",         "/etc/hostname",
      "/etc/passwd",         make("elsewhere/a.c"),       make("app/src/id_rsa"),
      make("here/keys.txt"), make("app/src/.git/hook.c"), (dir / "app/src/link.c").string()};
  for (const std::string& file : files) {
    if (!fs::exists(file)) continue;
    const SourceFiles::Text text = read(file);
    EXPECT_TRUE(text.lines.empty()) << file;
    EXPECT_NE(text.note.find("--source-root"), std::string::npos) << file << ": " << text.note;
    EXPECT_TRUE(refused.count(file)) << file;
  }
  const std::string told = about_refused(refused);
  EXPECT_NE(told.find("/proc/self/environ"), std::string::npos) << told;
  EXPECT_NE(told.find(" more"), std::string::npos) << told;
  EXPECT_NE(told.find("--source-root"), std::string::npos) << told;
  EXPECT_EQ(about_refused({}), "");
}

// Debug information is the sender's, too: it may say that the program was compiled anywhere.
TEST_F(SourceFilesTest, SomeFoldersCompileNothing) {
  for (const char* folder : {"/", "/proc", "/proc/self", "/etc", "/dev", "/sys/kernel"}) {
    profile.source_folders = {folder};
    EXPECT_FALSE(reads("/proc/self/environ")) << folder;
    EXPECT_FALSE(reads("/etc/passwd")) << folder;
    EXPECT_FALSE(reads(make("elsewhere/a.c"))) << folder;
  }
  setenv("HOME", (dir / "app").c_str(), 1);  // what build and src have in common is the user's home: nothing to go by
  profile.source_folders = {dir / "app/build", dir / "app/src"};
  EXPECT_FALSE(reads(make("app/include/mine.c")));
  EXPECT_TRUE(reads(make("app/src/a.c")));
}

TEST_F(SourceFilesTest, TheUserAllowsFolders) {
  const std::string odd = make("elsewhere/kernel.omp"), shut = make("elsewhere/.hidden.c");
  EXPECT_FALSE(reads(odd));
  options.roots = {(dir / "elsewhere").string()};
  EXPECT_TRUE(reads(odd));
  EXPECT_TRUE(reads(shut));
  options.roots = {"/"};
  EXPECT_TRUE(reads(make("here/keys.txt")));
  EXPECT_FALSE(reads("/proc/self/environ"));  // no file on a disk: some never end
  EXPECT_FALSE(reads("/dev/null"));
  // A relative name, as clang's without -g, is looked for there, too.
  options.roots = {(dir / "elsewhere").string()};
  profile::Source s;
  s.file = "kernel.omp";
  s.line = 1;
  EXPECT_FALSE(whole_source(profile, s, options).lines.empty());
}

TEST_F(SourceFilesTest, WhatIsReadIsBounded) {
  const std::string large = make("app/src/large.c"), many = make("app/src/many.c"),
                    binary = make("app/src/binary.c", std::string("a\0b", 3));
  fs::resize_file(large, (32u << 20) + 1);
  EXPECT_NE(read(large).note.find("32 MiB"), std::string::npos);
  std::ofstream(many) << std::string(1'100'000, '\n');
  EXPECT_NE(read(many).note.find("million lines"), std::string::npos);
  EXPECT_NE(read(binary).note.find("no text"), std::string::npos);
  ASSERT_EQ(mkfifo((dir / "app/src/pipe.c").c_str(), 0600), 0);  // that nobody writes: must not be waited for
  EXPECT_NE(read((dir / "app/src/pipe.c").string()).note.find("not a regular file"), std::string::npos);
  EXPECT_EQ(read(make("app/src/wide.c", std::string(10'000, 'x') + "\n")).lines.at(0).size(), 404u);
  EXPECT_NE(read((dir / "app/src/none.c").string()).note.find("not on this machine"), std::string::npos);
}

}  // namespace
}  // namespace einkorn::report

// Names for files that tests write and take away.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>
#include <string>

namespace einkorn::test {

// A path, ending in `ending`, that no other test has: tests of one program run beside each other, each in a process of its own, and
// beside those of another build. Nothing is made there.
inline std::string scratch(const std::string& ending) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string("einkorn_") + info->test_suite_name() + "_" + info->name() + "_" + std::to_string(getpid());
  for (char& c : name)
    if (c == '/') c = '_';
  return testing::TempDir() + name + ending;
}

}  // namespace einkorn::test

// Whether the text that a report is is what docs/report-schema.json says.
#pragma once
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace einkorn::report_test {

// Exit status of tests/cli/schema.py on `text`.
inline int check_schema(const std::string& text) {
  const auto here = std::filesystem::path(__FILE__).parent_path();
  const auto file = std::filesystem::temp_directory_path() / ("einkorn_report_" + std::to_string(getpid()) + ".json");
  std::ofstream(file, std::ios::binary) << text;
  const int status = std::system(("python3 " + (here.parent_path() / "cli" / "schema.py").string() + " " + file.string()).c_str());
  std::filesystem::remove(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace einkorn::report_test

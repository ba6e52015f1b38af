// Checks the text of a report against docs/report-schema.json.
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
  const auto file = std::filesystem::temp_directory_path() / ("einkorn_report_" + std::to_string(getpid()) + ".json");
  std::ofstream(file, std::ios::binary) << text;
  const int status = std::system(("python3 " EINKORN_SCHEMA_CHECK " " + file.string()).c_str());
  std::filesystem::remove(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace einkorn::report_test

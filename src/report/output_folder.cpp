#include "report/output_folder.h"
#include <filesystem>
#include <unistd.h>
#include <fmt/format.h>

namespace einkorn::report {

namespace fs = std::filesystem;

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

bool OutputFolder::open(const std::string& name, const std::string& mark) {
  name_ = name;
  while (name_.size() > 1 && name_.back() == '/') name_.pop_back();
  if (name_ == "-") {
    error_ = "this format is a folder, which cannot go to standard output: name one with -o";
    return false;
  }
  std::error_code wrong;
  const fs::file_status there = fs::status(name_, wrong);
  if (fs::exists(there)) {
    if (!fs::is_directory(there))
      error_ = fmt::format("{} is a file, and this format is a folder: name another with -o", name_);
    else if (!fs::is_empty(name_, wrong) && !fs::exists(fs::path(name_) / mark, wrong))
      error_ = fmt::format("{} is there and holds something else: name another folder with -o", name_);
    else if (fs::is_symlink(fs::symlink_status(name_, wrong)))
      name_ = fs::canonical(name_, wrong).string();
  }
  const fs::path parent = fs::path(name_).parent_path();
  if (error_.empty() && access(parent.empty() ? "." : parent.c_str(), W_OK) != 0)
    error_ = fmt::format("cannot write {}: {}", name_, std::error_code(errno, std::generic_category()).message());
  if (!error_.empty()) return false;
  temporary_ = fmt::format("{}.{}.tmp", name_, getpid());
  return true;
}

bool OutputFolder::commit() {
  std::error_code wrong;
  const std::string old = temporary_ + ".old";
  const bool replaces = fs::exists(name_, wrong);
  if (replaces) fs::rename(name_, old, wrong);
  if (!wrong) fs::rename(temporary_, name_, wrong);
  if (wrong) {
    error_ = fmt::format("cannot write {}: {}", name_, wrong.message());
    if (replaces) fs::rename(old, name_, wrong);
    return false;
  }
  temporary_.clear();
  if (replaces) fs::remove_all(old, wrong);
  return true;
}

}  // namespace einkorn::report

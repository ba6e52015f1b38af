#include "report/export/output_folder.h"
#include "base/foreign_file.h"
#include <fcntl.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <fmt/format.h>

namespace einkorn::report {

namespace fs = std::filesystem;

namespace {

struct Entry {
  fs::path path;  // relative to the folder
  fs::file_type type;
};

// All that is in a folder, at any depth, folders before what is in them. False: it cannot be read.
bool list(const fs::path& folder, std::vector<Entry>& out) {
  std::error_code wrong;
  fs::recursive_directory_iterator at(folder, wrong), end;
  for (; !wrong && at != end; at.increment(wrong))
    out.push_back({at->path().lexically_relative(folder), at->symlink_status(wrong).type()});
  return !wrong;
}

bool is_part(const Entry& e, const OutputFolder::Kind& kind) {
  const bool folder = e.type == fs::file_type::directory;
  return (folder || e.type == fs::file_type::regular) && kind.part(e.path, folder);
}

// The parts of that kind. What else may have come into it stays, and so do then the folders that it is in.
void remove_parts(const fs::path& folder, const OutputFolder::Kind& kind) {
  std::vector<Entry> entries;
  list(folder, entries);
  for (size_t i = entries.size(); i-- > 0;)
    if (is_part(entries[i], kind)) ::remove((folder / entries[i].path).c_str());
  rmdir(folder.c_str());
}

}  // namespace

OutputFolder::~OutputFolder() {
  if (!temporary_.empty()) remove_parts(temporary_, kind_);
}

bool OutputFolder::fail(std::string why) {
  error_ = std::move(why);
  return false;
}

bool OutputFolder::replaceable() const {
  std::vector<Entry> entries;
  if (!list(name_, entries)) return false;
  for (const Entry& e : entries)
    if (!is_part(e, kind_)) return false;
  return entries.empty() || kind_.ours(name_);
}

bool OutputFolder::open(const std::string& name, const Kind& kind) {
  kind_ = kind;
  name_ = name;
  while (name_.size() > 1 && name_.back() == '/') name_.pop_back();
  if (name_ == "-") return fail("this format is a folder, which cannot go to standard output: name one with -o");
  std::error_code wrong;
  const fs::file_status there = fs::status(name_, wrong);
  if (is_foreign(name_.c_str()))
    return fail(fmt::format("{} belongs to another user, who would get what is written: name another with -o", name_));
  if (fs::exists(there)) {
    if (!fs::is_directory(there))
      return fail(fmt::format("{} is a file, and this format is a folder: name another with -o", name_));
    if (fs::is_symlink(fs::symlink_status(name_, wrong))) name_ = fs::canonical(name_, wrong).string();
    if (!replaceable())
      return fail(fmt::format(
          "{} is there and holds something else than einkorn wrote, which is not deleted: name another folder with -o",
          name_));
  }
  // Made here, so that nothing of anybody's is in it; one that a killed run has left is not ours to fill.
  for (unsigned attempt = 0;; ++attempt) {
    temporary_ = fmt::format("{}.{}.{}.tmp", name_, getpid(), attempt);
    if (mkdir(temporary_.c_str(), 0777) == 0) return true;
    if (errno == EEXIST && attempt < 1000) continue;
    temporary_.clear();
    return fail(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
  }
}

bool OutputFolder::commit() {
  std::error_code wrong;
  const std::string old = temporary_ + ".old";
  const bool replaces = fs::exists(name_, wrong);
  if (replaces && fs::exists(fs::symlink_status(old, wrong)))
    return fail(fmt::format("cannot write {}: {} is in the way", name_, old));
  if (replaces) fs::rename(name_, old, wrong);
  if (!wrong) fs::rename(temporary_, name_, wrong);
  if (wrong) {
    error_ = fmt::format("cannot write {}: {}", name_, wrong.message());
    std::error_code ignored;
    if (replaces && !fs::exists(name_, ignored)) fs::rename(old, name_, ignored);
    return false;
  }
  temporary_.clear();
  if (replaces) remove_parts(old, kind_);
  return true;
}

}  // namespace einkorn::report

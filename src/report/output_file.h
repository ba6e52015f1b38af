// A file that is there whole or not at all: written under another name beside it, put onto the disk, and renamed when
// all is well. Everything that the tool leaves in a file goes this way.
//
// What is no regular file (a pipe, a device) is written directly, and so is what is open already: "-", /dev/stdout,
// /dev/fd/N. A link stays a link: the file that it leads to is made or replaced. A file of that name keeps its
// permissions. What another user has put under that name, a link or a pipe, or in a folder
// like /tmp a file, gets nothing (base/foreign_file.h).
//
// Two kinds of files are never replaced: those that this run of the tool reads (keep()), by device and inode, so under
// any name; and recordings, but by recordings.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace einkorn::report {

// This file is read: no output of this process takes its place. Nothing of that name: nothing to keep.
void keep(const std::string& path);

enum class Content { recording, other };

// Why `content` must not be written there, a sentence without its full stop; empty: it may.
std::string why_not(const std::string& path, Content content);

class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();  // what has not been committed is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // False: cannot be written there, or must not; error() says why.
  bool open(const std::string& path, Content content = Content::other);
  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  uint64_t position() const { return position_; }  // bytes written so far
  bool good() const { return error_.empty(); }
  // After it the file stands under its name. False: it does not, what stood there before still does, and error() says
  // why.
  bool commit();
  const std::string& error() const { return error_; }

 private:
  void fail(int number);
  bool open_beside(bool exists, unsigned mode);

  std::string name_;       // as the user gave it
  std::string target_;     // links followed
  std::string temporary_;  // empty: written directly
  std::string error_;
  FILE* file_ = nullptr;  // stdout's is not ours to close
  uint64_t position_ = 0;
};

// All of it at once. Returns what went wrong, a sentence without its full stop; empty: nothing.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace einkorn::report

// A file that is there whole or not at all: written under another name beside it, and renamed when all is well.
//
// What is no regular file (a pipe, /dev/stdout) is written directly; "-" is standard output. A link stays a link: the
// file that it leads to is replaced. A file of that name keeps its permissions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace einkorn::report {

class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();  // what has not been committed is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // False: cannot be written there; error() says why.
  bool open(const std::string& path);
  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  uint64_t position() const { return position_; }  // bytes written so far
  bool good() const { return error_.empty(); }
  // After it the file stands under its name. False: it does not, what stood there before still does, and error() says
  // why.
  bool commit();
  const std::string& error() const { return error_; }

 private:
  void fail(const char* what, int number);

  std::string name_;       // as the user gave it
  std::string target_;     // links followed
  std::string temporary_;  // empty: written directly
  std::string error_;
  FILE* file_ = nullptr;
  uint64_t position_ = 0;
};

}  // namespace einkorn::report

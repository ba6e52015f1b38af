// A folder that is there whole or not at all: made under another name beside it, and renamed when all is well.
#pragma once
#include <string>

namespace einkorn::report {

class OutputFolder {
 public:
  OutputFolder() = default;
  ~OutputFolder();  // what has not been committed is removed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // A folder of that name is replaced only if it is empty or has a file `mark`: it is one of the same kind. Anything
  // else stays, and error() says so. Makes nothing: whoever writes it makes path().
  bool open(const std::string& name, const std::string& mark);
  const std::string& path() const { return temporary_; }
  bool commit();
  const std::string& error() const { return error_; }

 private:
  std::string name_, temporary_, error_;
};

}  // namespace einkorn::report

// An executable or a shared object that is not of a recording, with its separate debug information if that is
// installed.
#pragma once
#include <elfutils/libdwfl.h>
#include <memory>
#include <string>

namespace einkorn::profile {

class OpenedFile {
 public:
  explicit OpenedFile(const std::string& path);
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  Dwfl_Module* module() const { return module_; }  // nullptr: it cannot be read

 private:
  char debug_path_[32] = ":.debug:/usr/lib/debug", *debug_path_pointer_ = debug_path_;
  Dwfl_Callbacks callbacks_{};
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl_{nullptr, dwfl_end};
  Dwfl_Module* module_ = nullptr;
};

}  // namespace einkorn::profile

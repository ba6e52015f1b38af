#include "profile/opened_file.h"
#include <unistd.h>
#include "base/regular_file.h"

namespace einkorn::profile {

OpenedFile::OpenedFile(const std::string& path) {
  callbacks_.find_elf = dwfl_build_id_find_elf;
  callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
  callbacks_.debuginfo_path = &debug_path_pointer_;
  dwfl_.reset(dwfl_begin(&callbacks_));
  if (!dwfl_) return;
  const int fd = open_regular(path);
  if (fd < 0) return;
  dwfl_report_begin(dwfl_.get());
  module_ = dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), fd, 0, true);
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  if (!module_) close(fd);
}

}  // namespace einkorn::profile

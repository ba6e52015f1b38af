#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace einkorn::cli {

report::TextOptions text_options(int fd) {
  report::TextOptions options;
  options.color = isatty(fd);
  winsize window{};
  constexpr unsigned kNarrowest = 60;  // below that lines break anyway
  if (options.color && ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    options.width = std::max<unsigned>(kNarrowest, window.ws_col);
  return options;
}

}  // namespace einkorn::cli

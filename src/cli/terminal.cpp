#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "report/wording.h"

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

std::string diagnostic_text(const std::string& said) {
  std::string out;
  for (size_t at = 0; at < said.size();) {
    const size_t plain = std::min(said.find_first_of("\t\x1b", at), said.size());
    out += report::terminal_text(said.substr(at, plain - at));
    at = plain;
    if (at == said.size()) break;
    // A colour of any number of parts, or the end of a line erased, as gcc does.
    size_t end = at + 1;
    if (said[at] == '\x1b' && said.compare(at + 1, 1, "[") == 0) {
      end = std::min(said.find_first_not_of("0123456789;", at + 2), said.size());
      end = end < said.size() && (said[end] == 'm' || said[end] == 'K') ? end + 1 : at + 1;
    }
    out += said[at] == '\x1b' && end == at + 1 ? "?" : said.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace einkorn::cli

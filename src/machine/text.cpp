#include "machine/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace einkorn::machine {

std::string text(const char* format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int n = vsnprintf(nullptr, 0, format, list);
  std::string out(size_t(n > 0 ? n : 0), '\0');
  if (n > 0) vsnprintf(out.data(), out.size() + 1, format, again);
  va_end(again);
  va_end(list);
  return out;
}

std::string wrapped(std::string_view s, size_t width, size_t indent) {
  std::string out;
  size_t column = 0;
  for (size_t at = 0; at < s.size();) {
    const size_t end = std::min(s.find(' ', at), s.size());
    if (column > 0 && column + 1 + (end - at) > width) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += s.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return out + '\n';
}

std::string markup(std::string_view s) {
  // No document of XML may have a control character but these two, not even as an entity.
  std::string out;
  for (const char c : printable(s, "\n\t")) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

int edits(const std::string& a, const std::string& b) {
  if (a.size() > 200 || b.size() > 200) return 1000;
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = int(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = int(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool read_whole(const std::string& path, size_t most, std::string* out, std::string* why) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    *why = text("cannot be opened: %s", strerror(errno));
    return false;
  }
  struct stat about;
  bool good = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  if (!good) *why = "is not a file";
  out->clear();
  for (char part[65536]; good;) {
    ssize_t n = ::read(file, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) *why = text("cannot be read: %s", strerror(errno));
    if (n <= 0) {
      good = n == 0;
      break;
    }
    out->append(part, size_t(n));
    if (out->size() > most) {
      *why = text("is larger than the %zu MiB that such a file may have", most >> 20);
      good = false;
    }
  }
  close(file);
  return good;
}

}  // namespace einkorn::machine

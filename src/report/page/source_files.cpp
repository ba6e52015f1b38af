#include "report/page/source_files.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <fmt/format.h>
#include "base/regular_file.h"

namespace einkorn::report {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostFileBytes = 32u << 20;  // larger is no source anyone wrote
constexpr uint64_t kMostBytes = 256u << 20;     // of all files of a page
constexpr size_t kMostLines = 1'000'000;        // of one file
constexpr size_t kMostLineBytes = 400;          // of one line, the rest is cut

// As compilers know them; headers of C++ libraries have none, and are in the compilers' folders.
constexpr const char* kEndings[] = {
    ".c",   ".cc",  ".cp",   ".cpp", ".cxx", ".c++", ".h",    ".hh",  ".hp",  ".hpp",   ".hxx", ".h++", ".inc",
    ".inl", ".ipp", ".tcc",  ".tpp", ".ii",  ".i",   ".icc",  ".f",   ".for", ".ftn",   ".fpp", ".f77", ".f90",
    ".f95", ".f03", ".f08",  ".f18", ".fi",  ".s",   ".asm",  ".y",   ".l",   ".yy",    ".ll",  ".def", ".d",
    ".m",   ".mm",  ".cu",   ".cuh", ".cl",  ".hip", ".ispc", ".rs",  ".go",  ".jl",    ".py",  ".pyx", ".pxd",
    ".pxi", ".r",   ".java", ".adb", ".ads", ".pas", ".ml",   ".zig", ".nim", ".swift", ".kt",  ".cs",  ".td"};

bool named_as_source(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return c < 128 ? char(tolower(c)) : char(c); });
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* known) { return ending == known; });
}

bool hidden(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part.native()[0] == '.'; });
}

// What of `path` lies below `folder`; empty: it does not.
fs::path below(const fs::path& path, const fs::path& folder) {
  const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  if (in_folder != folder.end()) return {};
  fs::path rest;
  for (auto part = in_path; part != path.end(); ++part) rest /= *part;
  return rest;
}

void add(const fs::path& folder, std::vector<fs::path>& to) {
  std::error_code wrong;
  fs::path real = fs::canonical(folder, wrong);
  if (!wrong && fs::is_directory(real, wrong)) to.push_back(std::move(real));
}

// Where a program is compiled in one folder from files in another, its headers lie in a third one beside them: the
// folder that all have in common, unless that is as good as any (/, /home, the user's own).
void add_common(const std::vector<std::string>& folders, std::vector<fs::path>& to) {
  fs::path common;
  for (const std::string& folder : folders) {
    const fs::path path(folder);
    if (path.native().rfind("/usr/", 0) == 0) continue;
    if (common.empty()) {
      common = path;
      continue;
    }
    fs::path shared;
    for (auto a = common.begin(), b = path.begin(); a != common.end() && b != path.end() && *a == *b; ++a, ++b)
      shared /= *a;
    common = shared;
  }
  const char* home = getenv("HOME");
  if (std::distance(common.begin(), common.end()) < 3 ||
      (home && *home && (fs::path(home) == common || !below(home, common).empty())))
    return;
  add(common, to);
}

bool on_a_disk(int fd) {
  struct statfs s;
  if (fstatfs(fd, &s) != 0) return false;
  for (const long kernels : {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
                             CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC})
    if (long(s.f_type) == kernels) return false;
  return true;
}

// Up to `most` bytes; false: there are more, or errno says what is wrong.
bool read_all(int fd, uint64_t most, std::string& out) {
  for (;;) {
    const size_t have = out.size();
    out.resize(std::min<uint64_t>(have + (256u << 10), most + 1));
    const ssize_t n = ::read(fd, out.data() + have, out.size() - have);
    if (n < 0 && errno == EINTR) {
      out.resize(have);
      continue;
    }
    out.resize(have + size_t(std::max<ssize_t>(n, 0)));
    if (n <= 0 || out.size() > most) return n == 0;
  }
}

void split(const std::string& text, std::vector<std::string>& lines) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, std::min(end - at, kMostLineBytes + 1));
    if (end - at > kMostLineBytes) line = line.substr(0, kMostLineBytes) + " ...";
    else if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
}

}  // namespace

SourceFiles::SourceFiles(const profile::Profile& profile, const SourceOptions& options)
    : options_(options), budget_(kMostBytes) {
  for (const std::string& root : options.roots) add(root, named_);
  for (const std::string& folder : profile.source_folders) add(folder, known_);
  add_common(profile.source_folders, known_);
  add(".", known_);
  for (const char* folder : {"/proc", "/sys", "/dev", "/etc", "/run", "/var/lib", "/"})
    std::erase_if(known_,
                  [&](const fs::path& p) { return p == folder || (*(folder + 1) && !below(p, folder).empty()); });
  for (const char* folder : {"/usr/include", "/usr/local/include", "/usr/lib"}) add(folder, headers_);
}

fs::path SourceFiles::find(const profile::Source& s) const {
  std::error_code ec;
  const fs::path path(s.file);
  if (path.is_absolute() || fs::exists(path, ec)) return path;
  for (const fs::path& root : named_)
    if (fs::exists(root / path, ec)) return root / path;
  const fs::path beside = fs::path(s.module).parent_path() / path;
  return fs::exists(beside, ec) ? beside : path;
}

bool SourceFiles::allowed(const fs::path& real) const {
  auto in = [&](const std::vector<fs::path>& folders, auto&& good) {
    return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
      const fs::path rest = below(real, folder);
      return !rest.empty() && good(rest);
    });
  };
  return in(named_, [](const fs::path&) { return true; }) ||
         in(known_, [](const fs::path& rest) { return named_as_source(rest) && !hidden(rest); }) ||
         in(headers_,
            [](const fs::path& rest) { return (named_as_source(rest) || !rest.has_extension()) && !hidden(rest); });
}

SourceFiles::Text SourceFiles::read(const fs::path& path) {
  Text out;
  const std::string name = path.string();
  auto without = [&](std::string note) {
    out.note = std::move(note);
    return std::move(out);
  };
  std::error_code ec;
  const fs::path real = fs::canonical(path, ec);
  if (ec) return without(fmt::format("The source file {} is not on this machine.", name));
  if (!allowed(real)) {
    if (options_.refused) options_.refused->insert(name);
    return without(fmt::format(
        "{} is not in a folder that the program is known to be compiled from: not read. --source-root FOLDER "
        "allows a folder's files.",
        name));
  }
  const int fd = open_regular(real.string(), O_NOFOLLOW);
  if (fd < 0 && errno == EINVAL) return without(fmt::format("{} is not a regular file: not read.", name));
  if (fd < 0) return without(fmt::format("{} cannot be read: {}.", name, std::strerror(errno)));
  std::string text;
  std::string wrong;
  const uint64_t most = std::min(kMostFileBytes, budget_);
  if (!on_a_disk(fd)) wrong = fmt::format("{} is not a regular file: not read.", name);
  else if (errno = 0; !read_all(fd, most, text))
    wrong = errno ? fmt::format("{} cannot be read: {}.", name, std::strerror(errno))
            : most == kMostFileBytes
                ? fmt::format("{} is larger than 32 MiB: not read.", name)
                : fmt::format("{} was not read: the source files of this recording are larger than 256 MiB together.",
                              name);
  close(fd);
  if (!wrong.empty()) return without(std::move(wrong));
  if (size_t(std::count(text.begin(), text.end(), '\n')) > kMostLines)
    return without(fmt::format("{} has more than a million lines: not read.", name));
  if (memchr(text.data(), '\0', text.size())) return without(fmt::format("{} is no text: not read.", name));
  budget_ -= text.size();
  out.written = fs::last_write_time(real, ec);
  split(text, out.lines);
  return out;
}

std::string about_refused(const std::set<std::string>& refused) {
  if (refused.empty()) return "";
  std::string names;
  size_t shown = 0;
  for (const std::string& name : refused) {
    if (shown == 3) break;
    names += (shown++ ? ", " : "") + name;
  }
  if (refused.size() > shown) names += fmt::format(" and {} more", refused.size() - shown);
  return fmt::format(
      "not read, as not in a folder that the program is known to be compiled from: {}. --source-root FOLDER allows the files of a folder",
      names);
}

}  // namespace einkorn::report

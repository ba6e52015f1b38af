#include "cli/target.h"

#include <elf.h>
#include <fmt/format.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/verbs.h"

namespace einkorn::cli {

namespace {

// A file mapped for reading; every access is checked against its size.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
      void* p = mmap(nullptr, size_t(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (p != MAP_FAILED) data_ = static_cast<const char*>(p), size_ = size_t(st.st_size);
    }
    if (fd >= 0) close(fd);
  }
  ~Mapping() {
    if (data_) munmap(const_cast<char*>(data_), size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  size_t size() const { return size_; }
  const char* bytes(uint64_t at, uint64_t count) const {
    return data_ && at <= size_ && count <= size_ - at ? data_ + at : nullptr;
  }
  template <class T>
  const T* as(uint64_t at) const {
    return at % alignof(T) == 0 ? reinterpret_cast<const T*>(bytes(at, sizeof(T))) : nullptr;
  }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

struct ElfFacts {
  bool has_interpreter = false;
  std::string interpreter;
  bool defines_openmp = false;  // libgomp or libomp linked into it
};

// Does a symbol table define one of the entry points that every OpenMP program calls?
bool table_defines_openmp(const Mapping& file, const Elf64_Shdr& table, const Elf64_Shdr& strings) {
  if (table.sh_entsize != sizeof(Elf64_Sym)) return false;
  for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto* symbol = file.as<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) return false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= strings.sh_size) continue;
    for (const char* name : {"GOMP_parallel", "__kmpc_fork_call"}) {
      size_t n = strlen(name) + 1;
      const char* at = file.bytes(strings.sh_offset + symbol->st_name, n);
      if (at && memcmp(at, name, n) == 0) return true;
    }
  }
  return false;
}

ElfFacts read_elf(const Mapping& file, const Elf64_Ehdr& header) {
  ElfFacts facts;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto* segment = file.as<Elf64_Phdr>(header.e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
    if (!segment || segment->p_type != PT_INTERP) continue;
    facts.has_interpreter = true;
    if (const char* text = file.bytes(segment->p_offset, segment->p_filesz))
      facts.interpreter.assign(text, strnlen(text, segment->p_filesz));
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto* section = file.as<Elf64_Shdr>(header.e_shoff + uint64_t(i) * sizeof(Elf64_Shdr));
    if (!section || (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)) continue;
    const auto* strings = file.as<Elf64_Shdr>(header.e_shoff + uint64_t(section->sh_link) * sizeof(Elf64_Shdr));
    if (strings && table_defines_openmp(file, *section, *strings)) facts.defines_openmp = true;
  }
  return facts;
}

Target bad(const std::string& path, std::string why) { return {path, kCannotRun, std::move(why)}; }

bool is_directory(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// Resolved like execvp(3); empty when there is nothing executable of that name.
std::string look_up(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = getenv("PATH");
  std::string list = path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    std::string candidate = list.substr(at, end - at);
    candidate = (candidate.empty() ? "." : candidate) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0 && !is_directory(candidate)) return candidate;
    at = end + 1;
  }
  return "";
}

Target check_elf(const std::string& path, const Mapping& file) {
  const auto* header = file.as<Elf64_Ehdr>(0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
    return bad(path, fmt::format("{} is not a 64-bit x86 program: Einkorn's runtime cannot be loaded into it.", path));
  ElfFacts elf = read_elf(file, *header);
  if (!elf.has_interpreter && elf.defines_openmp)
    return bad(path, fmt::format("{} is linked statically and has its own OpenMP library inside, which cannot be replaced. "
                                 "Link it without -static.", path));
  if (!elf.has_interpreter)
    return bad(path, fmt::format("{} is linked statically: no library can be put under it. Link it without -static.", path));
  if (elf.interpreter.find("ld-musl") != std::string::npos)
    return bad(path, fmt::format("{} uses the musl C library, whose loader ({}) cannot redirect libraries. Build it "
                                 "against glibc.", path, elf.interpreter));
  if (elf.defines_openmp)
    return bad(path, fmt::format("{} has a static OpenMP library (libgomp.a or libomp.a) inside, which cannot be replaced. "
                                 "Link it with the shared one: -fopenmp without -static-libgomp or libgomp.a.", path));
  return {path, 0, ""};
}

Target check(const std::string& path, int depth) {
  struct stat st;
  if (stat(path.c_str(), &st) != 0)
    return {path, errno == ENOENT || errno == ENOTDIR ? kNotFound : kCannotRun,
            fmt::format("{}: {}.", path, errno == ENOENT ? "there is no such program" : strerror(errno))};
  if (S_ISDIR(st.st_mode)) return bad(path, fmt::format("{} is a directory, not a program.", path));
  if (access(path.c_str(), X_OK) != 0)
    return bad(path, fmt::format("{} is not executable ({}). `chmod +x` makes it so.", path, strerror(errno)));
  if (st.st_mode & (S_ISUID | S_ISGID))
    return bad(path, fmt::format("{} is setuid or setgid: the system loads no foreign library into such a program. Run a copy "
                                 "without that bit.", path));
  if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    return bad(path, fmt::format("{} has file capabilities: the system loads no foreign library into such a program. Run a "
                                 "copy without them.", path));
  Mapping file(path);
  if (const char* magic = file.bytes(0, SELFMAG); magic && memcmp(magic, ELFMAG, SELFMAG) == 0) return check_elf(path, file);
  if (const char* text = file.bytes(0, 2); text && text[0] == '#' && text[1] == '!') {
    if (depth >= 4) return bad(path, fmt::format("{}: interpreters of scripts are scripts more than four times over.", path));
    size_t limit = std::min<size_t>(file.size(), 4096);
    std::string line(file.bytes(0, limit), limit);
    line = line.substr(2, line.find('\n') - 2);
    size_t from = line.find_first_not_of(" \t"), to = line.find_first_of(" \t\r", from);
    if (from == std::string::npos) return bad(path, fmt::format("{}: its first line names no interpreter.", path));
    Target interpreter = check(line.substr(from, to == std::string::npos ? to : to - from), depth + 1);
    if (interpreter.status)
      return {path, kCannotRun, fmt::format("{} is a script whose interpreter cannot be run: {}", path, interpreter.message)};
    return {path, 0, ""};
  }
  if (file.size() == 0 && access(path.c_str(), R_OK) != 0) return {path, 0, ""};  // executable, not readable: let it run
  return bad(path, fmt::format("{} is neither a program nor a script with a #! line.", path));
}

}  // namespace

Target find_target(const std::string& program) {
  std::string path = look_up(program);
  if (path.empty()) return {program, kNotFound, fmt::format("{}: there is no such program in PATH.", program)};
  Target target = check(path, 0);
  if (target.status == kNotFound && program.find('/') == std::string::npos) target.message += " (from PATH)";
  return target;
}

}  // namespace einkorn::cli

#include "cli/target.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/mapping.h"
#include "cli/verbs.h"

namespace einkorn::cli {

namespace {

struct ElfFacts {
  std::string interpreter;      // PT_INTERP; empty: none
  bool is_pie = false;          // DF_1_PIE: a program; a shared library has the same type
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

bool dynamic_says_pie(const Mapping& file, const Elf64_Phdr& dynamic) {
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto* entry = file.as<Elf64_Dyn>(dynamic.p_offset + at);
    if (!entry || entry->d_tag == DT_NULL) return false;
    if (entry->d_tag == DT_FLAGS_1) return entry->d_un.d_val & DF_1_PIE;
  }
  return false;
}

// False: the headers point outside the file.
bool read_elf(const Mapping& file, const Elf64_Ehdr& header, ElfFacts& facts) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto* segment = file.as<Elf64_Phdr>(header.e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
    if (!segment) return false;
    if (segment->p_type == PT_DYNAMIC) facts.is_pie = dynamic_says_pie(file, *segment);
    if (segment->p_type != PT_INTERP) continue;
    const char* text = file.bytes(segment->p_offset, segment->p_filesz);
    if (!text) return false;
    facts.interpreter.assign(text, strnlen(text, segment->p_filesz));
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto* section = file.as<Elf64_Shdr>(header.e_shoff + uint64_t(i) * sizeof(Elf64_Shdr));
    if (!section) return true;  // sections are for debuggers: a program runs without them
    if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) continue;
    const auto* strings = file.as<Elf64_Shdr>(header.e_shoff + uint64_t(section->sh_link) * sizeof(Elf64_Shdr));
    if (strings && table_defines_openmp(file, *section, *strings)) facts.defines_openmp = true;
  }
  return true;
}

Target bad(const std::string& path, std::string why) { return {path, kCannotRun, std::move(why), "", ""}; }

bool is_directory(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// Like execvp(3): the first executable of that name in PATH; otherwise a file of that name that may not be executed,
// which deserves another message; otherwise nothing.
std::string look_up(const std::string& program) {
  if (program.empty() || program.find('/') != std::string::npos) return program;
  const char* path = getenv("PATH");
  std::string list = path ? path : "/bin:/usr/bin", forbidden;
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    std::string folder = list.substr(at, end - at);
    std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (access(candidate.c_str(), F_OK) == 0 && !is_directory(candidate)) {
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
      if (forbidden.empty()) forbidden = candidate;
    }
    at = end + 1;
  }
  return forbidden;
}

// What Einkorn runs: programs of the architecture that it is built for itself.
#if defined(__aarch64__)
constexpr unsigned kOurs = EM_AARCH64;
constexpr const char* kOurPrograms = "64-bit ARM programs. Build it for aarch64.";
#elif defined(__riscv)
constexpr unsigned kOurs = EM_RISCV;
constexpr const char* kOurPrograms = "64-bit RISC-V programs. Build it for riscv64.";
#else
constexpr unsigned kOurs = EM_X86_64;
constexpr const char* kOurPrograms = "64-bit x86 programs. Build it for x86-64.";
#endif

const char* machine_name(unsigned machine) {
  switch (machine) {
    case EM_386: return "32-bit x86";
    case EM_X86_64: return kOurs == EM_X86_64 ? "x86-64 with 32-bit addresses (x32)" : "64-bit x86";
    case EM_ARM: return "32-bit ARM";
    case EM_AARCH64: return "64-bit ARM";
    case EM_PPC64: return "64-bit POWER";
    case EM_S390: return "IBM Z";
    case EM_RISCV: return "RISC-V";
    default: return "another machine";
  }
}

Target check_elf(const std::string& path, const Mapping& file) {
  const auto* header = file.as<Elf64_Ehdr>(0);
  if (!header) return bad(path, fmt::format("{} is damaged: its ELF header is cut off. Build or copy it again.", path));
  bool ours =
      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == kOurs;
  if (!ours)
    return bad(path, fmt::format("{} is a program for {}; Einkorn runs {}", path, machine_name(header->e_machine),
                                 kOurPrograms));
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
    return bad(path, fmt::format("{} is {}, not a program. Name the program that is linked from it.", path,
                                 header->e_type == ET_CORE ? "a core dump" : "an object file"));
  ElfFacts elf;
  if (header->e_phentsize != sizeof(Elf64_Phdr) || !read_elf(file, *header, elf))
    return bad(path, fmt::format("{} is damaged: it is shorter than its headers say. Build or copy it again.", path));
  if (elf.interpreter.empty()) {
    if (header->e_type == ET_DYN && !elf.is_pie)
      return bad(path, fmt::format("{} is a shared library, not a program. Name the program that uses it.", path));
    return bad(path, fmt::format("{} is linked statically{}: it cannot take another OpenMP library. Link it without "
                                 "-static.",
                                 path, elf.defines_openmp ? ", with an OpenMP library inside" : ""));
  }
  if (elf.interpreter.find("ld-musl") != std::string::npos)
    return bad(path,
               fmt::format("{} is built for the musl C library, whose dynamic linker ({}) cannot redirect libraries. "
                           "Build it for glibc.",
                           path, elf.interpreter));
  if (access(elf.interpreter.c_str(), F_OK) != 0)
    return {path, kNotFound,
            fmt::format("{} needs the dynamic linker {}, which is not on this machine. Build it here, or run "
                        "it where it was built.",
                        path, elf.interpreter),
            "", ""};
  if (elf.defines_openmp)
    return bad(path,
               fmt::format("{} has an OpenMP library linked into it (libgomp.a or libomp.a), which cannot be replaced. "
                           "Link it with the shared one: -fopenmp, without -static-libgomp, -static-openmp or the .a "
                           "file.",
                           path));
  return {path, 0, "", path, elf.interpreter};
}

Target check(const std::string& path, int depth);

// The program that env(1) would start for the rest of a `#!` line: `python3`, or with -S `-S NAME=value python3 -u`.
std::string program_of_env(const std::string& rest) {
  bool split = rest.compare(0, 2, "-S") == 0;
  for (size_t at = split ? 2 : 0; at < rest.size();) {
    at = rest.find_first_not_of(" \t", at);
    if (at == std::string::npos) break;
    size_t end = split ? std::min(rest.find_first_of(" \t", at), rest.size()) : rest.size();
    std::string word = rest.substr(at, end - at);
    if (word[0] != '-' && word.find('=') == std::string::npos) return word;
    at = end;
  }
  return "";
}

// `text`: begins with "#!". A script runs its interpreter, which must be suitable.
Target check_script(const std::string& path, const std::string& text, int depth) {
  if (depth >= 4)
    return bad(path, fmt::format("{}: a script whose interpreters are scripts, more than four deep.", path));
  std::string line = text.substr(2, text.find('\n') - 2);
  while (!line.empty() && strchr(" \t", line.back())) line.pop_back();
  size_t from = line.find_first_not_of(" \t");
  if (from == std::string::npos)
    return bad(path,
               fmt::format("{} is a script whose #! line names no interpreter. Name one, as in #!/bin/sh.", path));
  size_t to = std::min(line.find_first_of(" \t", from), line.size());
  std::string name = line.substr(from, to - from);
  Target interpreter = check(name, depth + 1);
  size_t rest = line.find_first_not_of(" \t", to);
  if (!interpreter.status && rest != std::string::npos && name.substr(name.rfind('/') + 1) == "env") {
    std::string real = look_up(program_of_env(line.substr(rest)));
    if (!real.empty()) interpreter = check(real, depth + 1);  // else env itself says so
  }
  if (interpreter.status)
    return {path, interpreter.status,
            fmt::format("{} is a script whose interpreter cannot be run. {}", path, interpreter.message), "", ""};
  return {path, 0, "", interpreter.loaded, interpreter.linker};
}

Target check(const std::string& path, int depth) {
  struct stat st;
  if (stat(path.c_str(), &st) != 0) {
    bool missing = errno == ENOENT || errno == ENOTDIR;
    return {path, missing ? kNotFound : kCannotRun,
            missing ? fmt::format("{}: there is no such file. Is the name right?", path)
                    : fmt::format("{}: {}.", path, strerror(errno)),
            "", ""};
  }
  if (S_ISDIR(st.st_mode)) return bad(path, fmt::format("{} is a directory. Name the program in it.", path));
  if (!S_ISREG(st.st_mode)) return bad(path, fmt::format("{} is a device, a pipe or a socket, not a program.", path));
  if (access(path.c_str(), X_OK) != 0)
    return bad(path, fmt::format("{} is not executable ({}). `chmod +x {}` makes it so.", path, strerror(errno), path));
  bool changes_group = (st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP);
  if ((st.st_mode & S_ISUID) || changes_group)
    return bad(
        path,
        fmt::format("{} is {}: the system does not let anybody replace a library of such a program. Run a copy without "
                    "that bit.",
                    path, st.st_mode & S_ISUID ? "setuid" : "setgid"));
  if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    return bad(
        path,
        fmt::format(
            "{} has file capabilities: the system does not let anybody replace a library of such a program. Run a "
            "copy without them.",
            path));
  Mapping file(path);
  if (const char* magic = file.bytes(0, SELFMAG); magic && memcmp(magic, ELFMAG, SELFMAG) == 0)
    return check_elf(path, file);
  if (const char* start = file.bytes(0, 2); start && start[0] == '#' && start[1] == '!')
    return check_script(path, std::string(start, std::min<size_t>(file.size(), 4096)), depth);
  if (access(path.c_str(), R_OK) != 0)
    return {path, 0, "", "", ""};  // may be executed but not read: the system knows what it is
  return bad(path,
             fmt::format("{} is neither a program nor a script with a #! line. For a shell script, name the shell: "
                         "-- sh {}",
                         path, path));
}

}  // namespace

Target find_target(const std::string& program) {
  std::string path = look_up(program);
  if (path.empty())
    return {
        program, kNotFound,
        fmt::format("'{}': there is no such program in PATH. One in this folder is named with ./ before it.", program),
        "", ""};
  return check(path, 0);
}

}  // namespace einkorn::cli

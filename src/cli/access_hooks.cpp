#include "cli/access_hooks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <cstring>

namespace einkorn::cli {
namespace {

enum class Hooks { none, wanted, inside, unknown };

Hooks hooks_of(const std::string& program) {
  int fd = open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Hooks::unknown;
  elf_version(EV_CURRENT);
  Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  Hooks found = elf && elf_kind(elf) == ELF_K_ELF ? Hooks::none : Hooks::unknown;
  for (Elf_Scn* section = nullptr; found != Hooks::unknown && (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB)) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    const size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
    for (size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, int(i), &symbol)) break;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (!name || strcmp(name, "__tsan_init") != 0) continue;
      if (symbol.st_shndx != SHN_UNDEF) found = Hooks::inside;
      else if (found == Hooks::none) found = Hooks::wanted;
    }
  }
  if (elf) elf_end(elf);
  close(fd);
  return found;
}

}  // namespace

std::string no_access_hooks(const std::string& program, const std::string& libraries) {
  const std::string gcc = "gcc -g -O2 -fopenmp -fsanitize=thread";
  const std::string clang = fmt::format(
      "clang -g -O2 -fopenmp -fsanitize=thread -fno-sanitize-link-runtime ... -L{} -leinkorn-accesses", libraries);
  switch (hooks_of(program)) {
    case Hooks::wanted:
    case Hooks::unknown: return "";
    case Hooks::none:
      return fmt::format("{} has no hooks at its memory accesses. Build it with them: {}, or {}.", program, gcc, clang);
    case Hooks::inside:
      return fmt::format("{} has ThreadSanitizer linked into it, which cannot be replaced. Link it without: {}.",
                         program, clang);
  }
  return "";
}

}  // namespace einkorn::cli

#include "profile/build_id.h"
#include <algorithm>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <unistd.h>
#include "base/regular_file.h"

namespace einkorn::profile {

std::string as_hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string build_id_of(Elf* elf) {
  const void* id = nullptr;
  const ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);
  return std::string(static_cast<const char*>(id), size_t(std::max<ssize_t>(bytes, 0)));
}

std::string build_id_of_file(const std::string& path) {
  std::string id;
  const int fd = open_regular(path);
  if (fd < 0) return id;
  elf_version(EV_CURRENT);
  if (Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr)) {
    if (elf_kind(elf) == ELF_K_ELF) id = build_id_of(elf);
    elf_end(elf);
  }
  close(fd);
  return as_hex(id);
}

}  // namespace einkorn::profile

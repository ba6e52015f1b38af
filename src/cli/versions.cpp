#include "cli/versions.h"

#include <elf.h>

#include <cctype>
#include <cstring>
#include <set>

#include "cli/mapping.h"

namespace einkorn::cli {

namespace {

// The dynamic section of a file, by addresses as the dynamic linker sees them.
class Dynamic {
 public:
  explicit Dynamic(const std::string& path) : file_(path), header_(file_.as<Elf64_Ehdr>(0)) {
    if (!header_ || memcmp(header_->e_ident, ELFMAG, SELFMAG) != 0 || header_->e_ident[EI_CLASS] != ELFCLASS64 ||
        header_->e_phentsize != sizeof(Elf64_Phdr))
      header_ = nullptr;
  }

  // The value of a tag, 0: it is not there.
  uint64_t value(int64_t tag) const {
    for (unsigned i = 0; header_ && i < header_->e_phnum; ++i) {
      const auto* s = segment(i);
      if (!s || s->p_type != PT_DYNAMIC) continue;
      for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s->p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto* entry = file_.as<Elf64_Dyn>(s->p_offset + at);
        if (!entry || entry->d_tag == DT_NULL) return 0;
        if (entry->d_tag == tag) return entry->d_un.d_val;
      }
    }
    return 0;
  }

  template <class T>
  const T* at(uint64_t address) const {
    for (unsigned i = 0; header_ && i < header_->e_phnum; ++i) {
      const auto* s = segment(i);
      if (s && s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
        return file_.as<T>(s->p_offset + (address - s->p_vaddr));
    }
    return nullptr;
  }

  std::string text(uint64_t offset) const {
    std::string found;
    for (uint64_t address = value(DT_STRTAB) + offset;; ++address) {
      const char* c = at<char>(address);
      if (!c || !*c) return found;
      found += *c;
    }
  }

 private:
  const Elf64_Phdr* segment(unsigned i) const {
    return file_.as<Elf64_Phdr>(header_->e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
  }

  Mapping file_;
  const Elf64_Ehdr* header_;
};

std::set<std::string> nodes_of(const std::string& library) {
  std::set<std::string> nodes;
  const Dynamic file(library);
  uint64_t address = file.value(DT_VERDEF);
  for (uint64_t left = file.value(DT_VERDEFNUM); left > 0; --left) {
    const auto* node = file.at<Elf64_Verdef>(address);
    const auto* name = node ? file.at<Elf64_Verdaux>(address + node->vd_aux) : nullptr;
    if (!name) break;
    nodes.insert(file.text(name->vda_name));
    address += node->vd_next;
  }
  return nodes;
}

// Of the names that src/cli/audit.c leads to the runtime: libgomp.so.1, libomp-19.so.5, libgomp-a34b3233.so.1.0.0.
bool is_openmp_library(const std::string& name) {
  for (const char* stem : {"libgomp", "libomp", "libiomp5"}) {
    const size_t length = strlen(stem);
    if (name.compare(0, length, stem) != 0) continue;
    size_t at = length;
    if (name[at] == '-')
      while (isxdigit(static_cast<unsigned char>(name[++at]))) continue;
    return name.compare(at, 3, ".so") == 0;
  }
  return false;
}

MissingVersion missing_in(const std::string& path, const std::set<std::string>& have) {
  const Dynamic file(path);
  uint64_t address = file.value(DT_VERNEED);
  for (uint64_t left = file.value(DT_VERNEEDNUM); left > 0; --left) {
    const auto* library = file.at<Elf64_Verneed>(address);
    if (!library) break;
    const std::string of = file.text(library->vn_file);
    uint64_t at = address + library->vn_aux;
    for (unsigned i = 0; is_openmp_library(of) && i < library->vn_cnt; ++i) {
      const auto* node = file.at<Elf64_Vernaux>(at);
      if (!node) break;
      const std::string name = file.text(node->vna_name);
      if (!(node->vna_flags & VER_FLG_WEAK) && have.count(name) == 0) return {path, name, of};
      at += node->vna_next;
    }
    address += library->vn_next;
  }
  return {};
}

}  // namespace

MissingVersion missing_version(const std::string& program, const std::vector<std::string>& libraries,
                               const std::string& runtime) {
  const std::set<std::string> have = nodes_of(runtime);
  if (have.empty()) return {};  // without any the dynamic linker compares none
  MissingVersion missing = missing_in(program, have);
  for (size_t i = 0; missing.node.empty() && i < libraries.size(); ++i) missing = missing_in(libraries[i], have);
  return missing;
}

}  // namespace einkorn::cli

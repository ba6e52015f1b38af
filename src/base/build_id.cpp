#include "base/build_id.h"

#include <cstring>

namespace einkorn::inline base {

namespace {

// Among the notes in [p, end).
size_t among_notes(const char* p, const char* end, size_t align, unsigned char* out, size_t room) {
  auto padded = [align](size_t n) { return (n + align - 1) & ~(align - 1); };
  while (size_t(end - p) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, p, sizeof note);
    const char* name = p + sizeof note;
    const size_t left = size_t(end - name), name_bytes = padded(note.n_namesz);
    if (name_bytes > left || note.n_descsz > left - name_bytes) return 0;
    const char* desc = name + name_bytes;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      memcpy(out, desc, note.n_descsz < room ? note.n_descsz : room);
      return note.n_descsz;
    }
    const size_t desc_bytes = padded(note.n_descsz);
    if (desc_bytes > left - name_bytes) return 0;
    p = desc + desc_bytes;
  }
  return 0;
}

}  // namespace

size_t build_id_of(const dl_phdr_info& object, unsigned char* out, size_t room) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& h = object.dlpi_phdr[i];
    if (h.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(object.dlpi_addr + h.p_vaddr);
    if (const size_t bytes = among_notes(notes, notes + h.p_memsz, h.p_align >= 8 ? 8 : 4, out, room)) return bytes;
  }
  return 0;
}

}  // namespace einkorn::inline base

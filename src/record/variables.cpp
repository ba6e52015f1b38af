#include "record/variables.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "base/allocation_library.h"
#include "base/objects.h"
#include "record/elf_symbols.h"
#include "record/node_sample.h"
#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

struct Variable {
  const void* at;
  uint64_t bytes;
  uint32_t site;
};
constexpr size_t kMostVariables = 1024;  // the largest
struct Variables {
  size_t count;
  bool on_nodes;
  Variable all[kMostVariables];
};
Variables* g_variables = nullptr;  // written before there is a second thread

// In whose place one of so many bytes comes; nullptr: there are enough larger ones.
Variable* room_for(uint64_t bytes) {
  Variables& v = *g_variables;
  if (v.count < kMostVariables) return &v.all[v.count++];
  Variable* least = v.all;
  for (Variable& one : v.all)
    if (one.bytes < least->bytes) least = &one;
  return least->bytes < bytes ? least : nullptr;
}

bool look_at_symbol(int fd, const FileSymbol& of, void* data) {
  const auto& object = *static_cast<const dl_phdr_info*>(data);
  const Elf64_Sym& s = of.symbol;
  if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || s.st_size < kLeastAllocation || s.st_shndx == SHN_UNDEF) return true;
  const uint64_t address = object.dlpi_addr + s.st_value;
  if (!writes_to(object, address, s.st_size)) return true;
  const auto* at = reinterpret_cast<const void*>(address);
  Variables& v = *g_variables;
  for (size_t i = 0; i < v.count; ++i)
    if (v.all[i].at == at) return true;  // by another name, or in another table
  Variable* room = room_for(s.st_size);
  if (!room) return true;
  char name[SiteTable::kMaxText + 1];
  name[read_name(fd, of.name_at, of.name_bytes, name, sizeof name - 1)] = 0;
  *room = {at, s.st_size, g_process.sites.find_or_add(Construct::variable, 0, at, nullptr, name)};
  return true;
}

int look_into(dl_phdr_info* object, size_t, void*) {
  const bool is_program = !object->dlpi_name || !*object->dlpi_name;
  // Ours are not the program's, though they are large.
  if (!is_program && holds(*object, reinterpret_cast<uintptr_t>(&look_into))) return 0;
  const char* path = is_program ? "/proc/self/exe" : object->dlpi_name;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  for_each_symbol(file, look_at_symbol, object);
  close(file);
  return 0;
}

}  // namespace

void keep_variables(bool on_nodes) {
  g_variables = static_cast<Variables*>(map_memory(sizeof(Variables)));
  if (!g_variables || !g_process.sites.create()) return;
  g_variables->on_nodes = on_nodes;
  dl_iterate_phdr(look_into, nullptr);
}

void write_variables(Output& out) {
  if (!g_variables || g_variables->count == 0) return;
  AllocationBlocks blocks(out);
  for (size_t i = 0; i < g_variables->count; ++i) {
    const Variable& v = g_variables->all[i];
    BytesOnNodes on = nullptr;
    NodeSample sample;
    if (g_variables->on_nodes) sample_nodes(v.at, v.bytes, sample);
    add_sample(sample, v.bytes, on);
    // Not what nobody has touched: a library's own, say, where the program has a copy of it in its place.
    if (sample.count == 0 || nodes_with_bytes(on) > 0) blocks.add(v.site, 1, v.bytes, v.bytes, on);
    if (on) unmap_memory(on, kMostAllocationNodes * sizeof(uint64_t));
  }
}

}  // namespace einkorn::record

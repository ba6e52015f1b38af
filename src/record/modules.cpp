#include "record/modules.h"
#include <algorithm>
#include <climits>
#include <cstring>
#include <link.h>
#include <pthread.h>
#include <unistd.h>
#include "base/build_id.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

pthread_mutex_t g_scan_lock = PTHREAD_MUTEX_INITIALIZER;

struct Scan {
  char* bytes;
  size_t capacity, size;
  uint64_t changes;
};

int read_changes(dl_phdr_info* info, size_t, void* out) {
  *static_cast<uint64_t*>(out) = info->dlpi_adds + info->dlpi_subs;
  return 1;  // every entry says the same
}

// Runs under the dynamic linker's lock. Takes no lock itself, so that it cannot form a cycle with the program's dlopen.
int scan_module(dl_phdr_info* info, size_t, void* data) {
  auto& scan = *static_cast<Scan*>(data);
  ModuleRecord record{};
  record.base = info->dlpi_addr;
  record.begin = ~0ull;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& h = info->dlpi_phdr[i];
    uint64_t at = info->dlpi_addr + h.p_vaddr;
    if (h.p_type == PT_LOAD) {
      record.begin = std::min<uint64_t>(record.begin, at);
      record.end = std::max<uint64_t>(record.end, at + h.p_memsz);
    }
  }
  record.build_id_bytes = std::min(uint32_t(base::build_id_of(*info, record.build_id, sizeof record.build_id)),
                                   uint32_t(sizeof record.build_id));
  if (record.begin >= record.end) return 0;

  char path[2 * PATH_MAX];
  TextBuffer text(path, sizeof path);
  if (!info->dlpi_name || !info->dlpi_name[0]) {  // the program itself
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[std::max<ssize_t>(n, 0)] = 0;
    text.put(exe);
  } else {
    // Loaded by a relative path: relative to a directory that may change, so make it absolute now.
    if (info->dlpi_name[0] != '/' && strchr(info->dlpi_name, '/')) {
      char cwd[PATH_MAX];
      if (getcwd(cwd, sizeof cwd)) {
        text.put(cwd);
        text.put('/');
      }
    }
    text.put(info->dlpi_name);
  }
  record.path_bytes = uint32_t(text.size());
  if (scan.size + sizeof record + text.size() > scan.capacity) return 1;
  memcpy(scan.bytes + scan.size, &record, sizeof record);
  memcpy(scan.bytes + scan.size + sizeof record, path, text.size());
  scan.size += sizeof record + text.size();
  return 0;
}

}  // namespace

bool ModuleMap::refresh() {
  if (!bytes_ && !(bytes_ = static_cast<char*>(map_memory(kCapacity)))) return false;
  Guard guard(g_scan_lock);
  uint64_t changes = 0;
  dl_iterate_phdr(read_changes, &changes);
  if (changes == changes_) return false;
  Scan scan{bytes_, kCapacity, 0, 0};
  dl_iterate_phdr(scan_module, &scan);
  size_ = scan.size;
  // A file loaded between the two walks is seen at the next refresh.
  changes_ = changes;
  return true;
}

bool ModuleMap::contains(uint64_t address) const {
  bool found = false;
  for_each([&](const ModuleRecord& r, std::string_view) { return !(found = address >= r.begin && address < r.end); });
  return found;
}

void ModuleMap::before_fork() { pthread_mutex_lock(&g_scan_lock); }
void ModuleMap::after_fork() { pthread_mutex_unlock(&g_scan_lock); }

}  // namespace einkorn::record

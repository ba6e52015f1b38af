#include "runtime/observe/allocations.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "base/allocation_library.h"
#include "memory/distribution.h"
#include "record/allocations.h"
#include "record/variables.h"
#include "runtime/observe/who_calls.h"
#include "runtime/places/places.h"
#include "runtime/tuned/tuned.h"

namespace einkorn::runtime {

namespace {

bool g_records = false;

// Where memory lies changes no result: OpenMP says nothing of it.
memory::Layout layout_of(hints::Spread spread) {
  switch (spread) {
    case hints::Spread::unchanged: break;
    case hints::Spread::fine: return memory::Layout::fine;
    case hints::Spread::coarse: return memory::Layout::coarse;
    case hints::Spread::blocked: return memory::Layout::blocked;
    case hints::Spread::nearest: return memory::Layout::nearest;
  }
  return memory::Layout::system;
}

void made(void* block, size_t bytes, const void* return_address, bool is_empty) {
  return_address = who_calls(return_address);
  if (g_tuned) {
    // The call is before its return address.
    const hints::Hint* h = hint_for(hints::Construct::allocation, static_cast<const char*>(return_address) - 1);
    if (h) memory::lay_out(block, bytes, layout_of(h->spread), is_empty);
  }
  if (g_records) record::note_allocation(block, bytes, return_address);
}

// Before the program has begun, so its pages are where they are first touched, but for those that the dynamic linker
// has written to.
void place(const hints::Hint& h, void* variable, size_t bytes) {
  memory::lay_out(variable, bytes, layout_of(h.spread), false);
}

void gone(void* block) { record::note_free(block); }

// The file that has the function which the program's calls find; nullptr: none, or it is `ours`, or nobody can tell: in
// a program that is not PIE the address may be that of its own jump to the function.
const char* answered_by(const char* name, const void* ours) {
  const void* first = dlsym(RTLD_DEFAULT, name);
  Dl_info object{};
  ElfW(Sym)* symbol = nullptr;
  if (!first || first == ours) return nullptr;
  if (!dladdr1(first, &object, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) || !object.dli_fname) return nullptr;
  return !symbol || symbol->st_shndx == SHN_UNDEF ? nullptr : object.dli_fname;
}

}  // namespace

void allocations_init(bool record) {
  for_each_variable(place);
  if (record) record::keep_variables(g_model == nullptr);
  if (!record && !places_allocations()) return;
  auto* library = static_cast<const base::AllocationLibrary*>(dlsym(RTLD_DEFAULT, base::kAllocationLibrarySymbol));
  const char* what = record ? "who allocates memory is not recorded" : "where memory is allocated no hint is applied";
  if (!library)
    return warn("libeinkorn-allocations.so is not in this process: %s. `einkorn %s` loads it", what,
                record ? "record --allocations" : "run --hints");
  if (library->version != base::kAllocationLibraryVersion)
    return warn("libeinkorn-allocations.so is of another version: %s", what);
  // The program's own allocator, in itself or in a library before ours, answers instead.
  for (const base::AllocationLibrary::Answer& one : library->answers)
    if (const char* other = answered_by(one.name, one.function))
      return warn("%s() is answered by %.200s: %s", one.name, other, what);
  // Allocators that are libraries may have an operator new of their own, which does not call malloc().
  if (const char* other = answered_by("_Znwm", nullptr);
      other && !strstr(other, "libstdc++") && !strstr(other, "libc++"))
    warn("operator new is %.200s's own: of what it allocates %s", other, what);
  g_records = record && record::keep_allocations(g_model == nullptr);
  static constexpr base::AllocationHost kPlaces = {made, nullptr}, kRecords = {made, gone};
  library->start(g_records ? &kRecords : &kPlaces);
}

}  // namespace einkorn::runtime

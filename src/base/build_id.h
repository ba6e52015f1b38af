// What names a build of an object file: the GNU build-id among its notes.
#pragma once
#include <cstddef>
#include <link.h>

namespace einkorn::inline base {

// Of an object that is loaded (dl_iterate_phdr), from its memory: the number of bytes, of which the first `room` go to
// `out`; 0: it has none. Takes no lock.
size_t build_id_of(const dl_phdr_info& object, unsigned char* out, size_t room);

}  // namespace einkorn::inline base

// What the program allocates, told by the library before its malloc() (base/allocation_library.h): hints say where
// large blocks go, and the recorder who has made them.
#pragma once

namespace einkorn::runtime {

// record: also for the recorder. After tuned_init(). Says where the library is wanted and not in the process.
void allocations_init(bool record);

}  // namespace einkorn::runtime

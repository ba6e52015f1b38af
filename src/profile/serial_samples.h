// Which of the program's functions the initial thread was in outside of regions (record/serial_samples.h).
#pragma once
#include "profile/raw.h"
#include "profile/symbols.h"

namespace einkorn::profile {

// Fills in Profile::serial_samples, of samples outside of outermost regions. After link().
void attach_samples(const Recording&, Symbolizer&, Profile&);

}  // namespace einkorn::profile

// Presets that bring a rule of their own for where tasks go, each in a file of its name (docs/schedules.md).
#pragma once
#include "schedule/types.h"

namespace einkorn::schedule {

extern const Schedule kBalance;   // balance.cpp
extern const Schedule kDeferred;  // deferred.cpp

}  // namespace einkorn::schedule

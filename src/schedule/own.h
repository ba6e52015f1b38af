// Schedules with a rule of their own, each in a file (docs/schedules.md).
#pragma once
#include "schedule/types.h"

namespace einkorn::schedule {

extern const Schedule kBalance;  // balance.cpp

}  // namespace einkorn::schedule

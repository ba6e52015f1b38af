// The tasks of gcc's target constructs.
#pragma once
#include "abi/abi.h"
#include "runtime/task/gomp_body.h"

namespace einkorn::abi {

// A task with Gomp::kTarget. deferred: else the encountering thread waits for it.
void create_gomp_target(const runtime::Gomp& body, bool deferred, void** depend, runtime::Caller caller);

}  // namespace einkorn::abi

// What Einkorn's operations take on a machine: from its own measurements where the model has them (`einkorn machine --measure`),
// else by the figures of docs/performance.md, which are of one computer.
#pragma once
#include "simulate/types.h"

namespace einkorn::simulate {

Costs costs_of(const machine::Machine& m);

}  // namespace einkorn::simulate

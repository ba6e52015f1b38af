// Which regions are one parallel loop that may run in any form: by its caller alone, as codelets, or as the codelets of
// several procedures (TPLoops; include/einkorn/codelet.h: EK_LOOP). Where that is not proved the region stays an
// ordinary one, whose instances are threads.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

// A parameter of the function that runs a region (NAME_on()): under its own name, or by its address.
struct LoopParameter {
  int variable;
  bool by_address;
};

struct RegionLoop {
  std::string iterations;  // an expression of the parameters; empty: the region is no such loop
  bool whole = false;      // nothing depends on how the range is cut: EK_WHOLE
};

RegionLoop loop_of_region(const Unit& unit, const Plan& plan, const std::vector<LoopParameter>& parameters);

}  // namespace einkorn::compiler

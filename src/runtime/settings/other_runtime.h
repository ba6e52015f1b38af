#pragma once

namespace einkorn::runtime {

// Looks once for another OpenMP library in this process, and warns. Called when the first thread comes to OpenMP.
void warn_of_other_runtime();

}  // namespace einkorn::runtime

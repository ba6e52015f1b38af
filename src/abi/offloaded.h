// LLVM's libomptarget, where it is in the process: it has the devices, and answers instead of us.
#pragma once

namespace einkorn::abi {

// libomptarget's function of that name, or nullptr. Looked up each time: the library may come later, by dlopen.
void* offloaded(const char* name);

template <class F>
F* offloaded(const char* name, F*) {
  return reinterpret_cast<F*>(offloaded(name));
}

}  // namespace einkorn::abi

// What libomptarget serves when it is there: name(arguments) there, or else what follows.
#define EK_OFFLOADED(name, ...) \
  if (auto* there = offloaded(#name, &name); EK_UNLIKELY(there != nullptr)) return there(__VA_ARGS__)

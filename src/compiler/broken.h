// einkorn-codelets-broken has the files of proofs once more, where the proof that EINKORN_BREAK_PROOF names always
// holds.
#pragma once

#include <cstdlib>
#include <string_view>

#ifdef EINKORN_BREAK_PROOF
#define EINKORN_PROOF(name, proved) (::einkorn::compiler::is_broken(name) || (proved))
namespace einkorn::compiler {
inline bool is_broken(std::string_view proof) {
  static const char* const name = getenv("EINKORN_BREAK_PROOF");
  return name && proof == name;
}
}  // namespace einkorn::compiler
#else
#define EINKORN_PROOF(name, proved) (proved)
#endif

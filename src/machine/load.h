// Where a Machine comes from: this computer, a file of hwloc's (XML), a text such as `numa:4 l3:1 core:8 pu:1`, or a
// model file, by name (share/machines) or path. docs/machines.md has the forms.
#pragma once
#include "machine/cpus.h"
#include "machine/types.h"

namespace einkorn::machine {

// Largest machine and largest file that are taken.
inline constexpr int kMostPus = kMaxCpus, kMostNodes = 1024;
inline constexpr uint64_t kMostMemory = uint64_t(1) << 60;  // bytes of a node
inline constexpr size_t kMostFileBytes = 64 << 20;

// `asked` as EINKORN_MACHINE and --machine have it; "" is the real machine, cut down to the process's CPUs. false: *why
// says what is wrong and what to do, without a full stop at its end, and *out is as it was.
bool load(const std::string& asked, Machine* out, std::string* why);

// Whether that is read from a file that is named by its path, not from a model or a text.
bool is_path(const std::string& asked);

// Each form by itself.
Machine load_real(const CpuSet& allowed);                                                         // never fails
bool load_xml(const std::string& path, Machine* out, std::string* why);                           // through hwloc
bool load_synthetic(const std::string& text, Machine* out, std::string* why);                     // ours, else hwloc's
bool load_model(const std::string& name, Machine* out, std::string* why);                         // of share/machines
bool load_model_text(const std::string& text, const std::string& file, Machine* out, std::string* why);  // JSON

// The model files that there are, by name, and the folders in which they are looked for, the first first.
std::vector<std::string> model_names();
std::vector<std::string> model_folders();

// The whole of it as JSON that load_model_text() reads.
std::string to_json(const Machine& m);

// What of a machine's invariants (types.h) does not hold, as text; "" if all do.
std::string broken(const Machine& m);

// Everything about the machine that follows from its PUs and nodes: order, counts, default distances. For those that
// fill one.
void settle(Machine* m);

// From now on this_machine() is this one (nullptr: the real one), whatever the environment says later; before its first
// call.
void ask_for(const char* asked);

}  // namespace einkorn::machine

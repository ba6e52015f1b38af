// Where a Machine comes from: this computer, a file of hwloc's (XML), a text such as `numa:4 l3:1 core:8 pu:1`, or a
// model file, by name (share/machines) or path. docs/machines.md has the forms.
#pragma once
#include "base/cpus.h"
#include "machine/types.h"

namespace einkorn::machine {

// The largest machine and the largest file that are accepted.
inline constexpr int kMostPus = kMaxCpus, kMostNodes = 1024;
inline constexpr uint64_t kMostMemory = uint64_t(1) << 60;  // bytes of a node
inline constexpr size_t kMostFileBytes = 64 << 20;

// `asked`: as in EINKORN_MACHINE and --machine; "" is the real machine, limited to the process's CPUs. false: *why says
// what is wrong and what to do, without a full stop at its end, and *out is unchanged.
bool load(const std::string& asked, Machine* out, std::string* why);

// Whether `asked` names a file by its path, rather than a model or a text.
bool is_path(const std::string& asked);

// Each form by itself.
Machine load_real(const CpuSet& allowed);                                      // never fails
bool load_xml(const std::string& path, Machine* out, std::string* why);        // through hwloc
bool load_synthetic(const std::string& text, Machine* out, std::string* why);  // ours, else hwloc's
bool load_model(const std::string& name, Machine* out, std::string* why);      // of share/machines
bool load_model_text(const std::string& text, const std::string& file, Machine* out, std::string* why);  // JSON

// The model files that exist, by name, and the folders that are searched for them, in that order.
std::vector<std::string> model_names();
std::vector<std::string> model_folders();

// The whole of it as JSON that load_model_text() reads.
std::string to_json(const Machine& m);

// The invariant of a machine (types.h) that does not hold, as text; "" if all hold.
std::string broken(const Machine& m);

// Sets everything that follows from the machine's PUs and nodes: order, counts, default distances. For code that fills
// a Machine.
void settle(Machine* m);

// Makes this_machine() this one (nullptr: the real one), whatever the environment says later. Call it before the first
// call of this_machine().
void ask_for(const char* asked);

}  // namespace einkorn::machine

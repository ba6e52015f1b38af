// A predicted run as a grain file: report, page and compare work on it as on a recording, and say that it is predicted.
#pragma once
#include <functional>
#include <string>

#include "profile/types.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// Takes the file's bytes, from its begin to its end.
using Sink = std::function<void(const void* data, size_t bytes)>;

// `outcome` with its trace. `profile`: the recording that `program` came from (from_profile(), with_members()); lines
// and tasks' properties are its. what: the prediction in words, for readers of the file: "64 threads of uv2000-24x8
// under ws". Times are whole nanoseconds.
void write_recording(const profile::Profile& profile, const Program& program, const Setup& setup,
                     const Outcome& outcome, const std::string& what, const Sink& sink);

}  // namespace einkorn::simulate

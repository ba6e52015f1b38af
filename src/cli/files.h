// The files that a command line names. A verb says of each option which it is; what an output must not be is then looked at before
// anything is read, and again when it is written (report/output_file.h).
#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "report/output_file.h"
#include "report/source_files.h"

namespace einkorn::cli {

CLI::Option* reads(CLI::Option* option);
CLI::Option* writes(CLI::Option* option, report::Content content = report::Content::other);

// Whose lines a page shows: --no-source, --source-root. `page`: without this option there is no page; nullptr: there always is.
void choose_sources(CLI::App& verb, report::SourceOptions& options, CLI::Option* page);

// Of the outputs of this command line: why one must not be written, a sentence without its full stop; empty: all may.
std::string wrong_output();

}  // namespace einkorn::cli

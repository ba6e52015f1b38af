// The files that a command line names. A verb says which option is an input and which an output. An output that must
// not be written is then found before anything is read, and again when it is written (report/output_file.h).
#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "profile/symbol_options.h"
#include "report/output_file.h"
#include "report/page/source_files.h"

namespace einkorn::cli {

CLI::Option* reads(CLI::Option* option);
CLI::Option* writes(CLI::Option* option, report::Content content = report::Content::other);

// The source files whose lines a page shows: --no-source, --source-root. `page`: the option without which there is no
// page; nullptr: there always is one.
void choose_sources(CLI::App& verb, report::SourceOptions& options, CLI::Option* page);

// Where the names and lines of code come from: --symbols, and servers where the user has set DEBUGINFOD_URLS.
void choose_symbols(CLI::App& verb, profile::SymbolOptions& options);

// Checks the outputs of this command line: why one of them must not be written, as a sentence without its full stop;
// empty: all may.
std::string wrong_output();

}  // namespace einkorn::cli

// What einkorn-codelets writes: whole, or not at all.
#pragma once
#include <string>

namespace einkorn::compiler {

// Writes a file under another name beside it and renames it when all of it is on the disk: on a full disk what stood
// there before stays. "-" is standard output; what is no regular file is written directly, and what belongs to another
// user (base/foreign_file.h) is not written. Returns 0 or errno.
int write_whole(const std::string& file, const std::string& text);

}  // namespace einkorn::compiler

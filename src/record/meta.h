// The JSON texts in a grain file, written by hand: a JSON library does not belong in other people's processes.
#pragma once
#include "record/stream.h"
#include "record/system.h"

namespace einkorn::record {

// "text" with quotes and escapes. Bytes that are not UTF-8 become U+FFFD, one each: JSON is UTF-8.
void put_json_string(TextBuffer& out, const char* text, size_t bytes);

// What is known about the process at its start: format.h, BlockType::meta. Leaves out what does not fit.
void describe_process(TextBuffer& out, const Options& options);

}  // namespace einkorn::record

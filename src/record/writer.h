// Who writes the grain file, and when: a companion of the program (companion.h), else a thread of it, else the
// program's own threads. It takes whole buffers as they come, and every 200 ms the filled part of the current ones.
#pragma once
#include <cstdint>

namespace einkorn::record {

// Starts the writer, with all signals blocked and on the CPUs that the process had at start(), since its first thread
// may be bound by now. Returns when the file's head is written.
void start_writer();
void wake_writer();
// When it returns, everything that the threads have recorded is in the file; false: the writer makes no progress, or
// the file takes no more.
bool flush_writer();
// Asks for the end and waits for it; gives up if the writer makes no progress for a while.
void finish_writer();
void forget_writer();   // in a forked child: it has none
bool program_writes();  // neither a companion nor a thread could be made
void writer_progressed();

}  // namespace einkorn::record

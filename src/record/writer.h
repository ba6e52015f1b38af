// Who writes: a companion of the program (companion.h), else a thread of it, else the program's own threads. It takes whole buffers as they
// come, and every 200 ms what is there of the current ones.
#pragma once
#include <cstdint>

namespace einkorn::record {

// All signals blocked; the CPUs of the process at start(), since its first thread may be bound by now.
// Returns when the file's head is written.
void start_writer();
void remember_cpus();  // by start()
void wake_writer();
// What all threads have recorded is in the file when it returns; false: the writer makes no progress, or the file takes no more.
bool flush_writer();
// Asks for the end and waits for it; gives up where the writer makes no progress for a while.
void finish_writer();
void forget_writer();  // in a forked child: it has none
bool program_writes();  // neither a companion nor a thread could be made
void writer_progressed();

}  // namespace einkorn::record

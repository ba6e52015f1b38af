// Parallel regions of which one serves a whole program: a library's function that runs whatever function it is given on
// all threads. Its place in the library says nothing; that of its caller does.
//
// Known so far: Numba's (omppool), which code that it made at run time calls. Others that only call from within their
// own library (OpenBLAS) are told by their names.
#pragma once

namespace einkorn::record {

// At a start of the recorder, outside of regions: finds all that it takes. Before it, and where that is not there (the
// C library tells without a lock since glibc 2.35), there are no pools: a lock of the dynamic linker's may be held by a
// thread that waits for a region.
void prepare_pools();
// Is the outlined function of a parallel region one of a pool? Any thread, any number of times; no lock.
bool is_of_pool(const void* function);
// For a region of a pool that the calling thread is about to begin, by the return address of its call into the runtime:
// the return address of the call of the function that holds that. nullptr: the stack does not tell.
const void* caller_of_pool(const void* return_address);
int times_unwound_for_test();  // the stack, so far

}  // namespace einkorn::record

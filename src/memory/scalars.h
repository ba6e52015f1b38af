// Fortran's allocatable scalars whose memory is an OpenMP allocator's (gfortran's -fopenmp-allocators): a scalar has no
// descriptor in which the program could note it, so the runtime does.
#pragma once

namespace einkorn::memory {

void note_scalar(void* p);
// Was it noted? It is no longer: its memory is about to be freed or moved, by the one function or the other.
bool take_scalar(void* p);
void scalars_reset_lock();  // in the child of a fork

}  // namespace einkorn::memory

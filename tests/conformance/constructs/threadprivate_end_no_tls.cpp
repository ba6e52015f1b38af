// threadprivate_end.cpp without the linker's thread-local storage: the runtime makes and destroys the copies.
// peer clang: libomp 19 does not destroy them in omp_pause_resource_all() after a fork
// flags clang: -fnoopenmp-use-tls
// compilers: clang
#include "threadprivate_end.cpp"

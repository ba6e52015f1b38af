// The interop directive where the only device is the host: objects are omp_interop_none, dependences are waited for.
// compilers: gcc>=15
#include "check.h"

// In a function: gcc 16 itself fails where the object is a variable that a region shares.
static void use_after(omp_interop_t object, int host, int *x) {
#pragma omp interop use(object) device(host) depend(inout : x[0])
}

int main(void) {
  omp_interop_t object = (omp_interop_t)1;
  const int host = omp_get_initial_device();
#pragma omp interop init(targetsync : object) device(host)
  CHECK(object == omp_interop_none);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; ++round) {
    int x = 0;
#pragma omp task depend(out : x) shared(x)
    {
      nap_us(300);
      set_to(&x, 1);
    }
    use_after(object, host, &x);
    CHECK_EQUAL(value_of(&x), 1);
  }
  object = (omp_interop_t)1;
#pragma omp interop init(target : object) device(host)
#pragma omp interop destroy(object) device(host)
  CHECK(object == omp_interop_none);
  int status = 1234;
  omp_get_interop_int(object, omp_ipr_fr_id, &status);
  CHECK_EQUAL(status, omp_irc_empty);
  return check_end();
}

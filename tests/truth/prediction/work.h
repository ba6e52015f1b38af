// Computes in registers: each step waits for the previous one, and takes about a nanosecond.
static double work(long n) {
  double x = 1;
  for (long i = 0; i < n; ++i) x = x * 0.999999 + 1e-9;
  return x;
}

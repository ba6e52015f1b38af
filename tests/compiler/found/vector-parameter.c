/* A procedure whose parameters have all types, a vector among them: a task that stays OpenMP's needs a copy of it. */
#include <stdio.h>
#include <string.h>
#include <emmintrin.h>
typedef struct { int a[3]; double d; } S;
static int depth_max;
static void vv(int d, int *out) { if (d == 0) { *out = 1; return; } int x = 0, y = 0;
  #pragma omp task shared(x)
  vv(d - 1, &x);
  vv(d - 1, &y);
  #pragma omp taskwait
  *out = x + y; }
static void wrap(int d, int *out) { 
  #pragma omp task
  vv(d, out);
  #pragma omp taskwait
  return vv(0, &depth_max); }
static S ss(S in, int d, const char *name, long double ld, __int128 big, __m128d v, _Bool b, char c, float _Complex z) {
  S l, r; S loc[2] = {in, {.d = ld}}; if (d <= 0) { in.a[0]++; return in; }
  in.a[1] += strlen(name) + c + b;
  #pragma omp task shared(l) firstprivate(in)
  l = ss(in, d - 1, "left", ld + 1, big * 3, _mm_add_pd(v, v), !b, c + 1, z * 2);
  #pragma omp task shared(r)
  r = ss(loc[0], d - 2, name, ld * 2, big + 1, v, d, c, z + 1);
  #pragma omp taskwait
  double q[2]; _mm_storeu_pd(q, v);
  S res = {{l.a[0] + r.a[0], l.a[1] + r.a[1], l.a[2] ^ r.a[2] ^ (int)(big & 0xffff)}, l.d + r.d + (double)ld + q[0] + q[1] + __real__ z + loc[1].d};
  return res; }
static unsigned char uc(int d) { unsigned char x, y; if (d < 1) return 300;
  #pragma omp task shared(x)
  x = uc(d - 1);
  y = uc(d - 2);
  #pragma omp taskwait
  return x * 3 + y; }
static _Bool bo(int d, int *p) { _Bool x, y; if (d < 1) return p;
  #pragma omp task shared(x)
  x = bo(d - 1, p);
  y = bo(d - 2, p);
  #pragma omp taskwait
  return x + y; }
static double dd(int d) { double x = 0; int n = d; double y;
  if (n-- < 1) return 1 / 2 + 1;
  for (int i = 0; i < 2; i++) { double t = i;
    #pragma omp task shared(t)
    t = dd(n - i);
    #pragma omp taskwait
    x += t; }
  #pragma omp task shared(y)
  { y = dd(n - 1); y += 0.5; }
  #pragma omp taskwait
  switch (n & 3) { case 0: x++; case 1: y *= 2; break; default: x -= 1; }
  return x, x + y; }
static int knr(a, b) int a; int b; { int x = 0; if (a < b) return a;
  #pragma omp task shared(x)
  x = knr(a - 2, b);
  int z = knr(a - 3, b);
  #pragma omp taskwait
  return x + z; }
int main(void) { int o = 0; S s, s0 = {{1,2,3}, 0.25}; unsigned char u; _Bool b; double d; int k; 
#pragma omp parallel
#pragma omp single
 { wrap(6, &o); s = ss(s0, 6, "nm", 1.5L, 7, _mm_set_pd(1, 2), 1, 'x', 1.0f + 2.0f * __extension__ 1.0if); u = uc(8); b = bo(5, &o); d = dd(6); k = knr(15, 3); }
 printf("%d %d %d %d %d %g %d %d %.17g %d\n", o, depth_max, s.a[0], s.a[1], s.a[2], s.d, u, b, d, k); return 0; }

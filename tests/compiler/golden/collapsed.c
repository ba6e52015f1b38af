/* Which iteration of collapsed loops is the last one. */
int of_rows(int n, int *last) {
  int i, j, x = 0;
#pragma omp parallel for collapse(2) lastprivate(i, j, x)
  for (i = 0; i < n; i++)
    for (j = n; j > 0; j -= 2) x = i * j;
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(dynamic, 4) lastprivate(j, x) nowait
    for (i = n; i >= 0; i--)
      for (j = 0; j < 3 * i; j += n) {
        if (j == 7) continue;
        x = i + j;
      }
  }
  *last = x;
  return i + j;
}

/* gcc takes this no more from 14 on. */
int hidden(int n) {
  int last = -1;
#pragma omp parallel for collapse(2) lastprivate(last)
  for (int i = 0; i < n; i++)
    for (int i = 0; i < 4; i++) last = i;
  return last;
}

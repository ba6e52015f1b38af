/* Sync points in loops and branches; what lives over them. */
void frontier(int *k1, int *k2, int n, long *out) {
  int level = 0;
#pragma omp parallel firstprivate(level) num_threads(n > 4 ? 4 : n) if (n > 1)
  {
    const int mine = n + 1;
    int buffer[4] = {0}, *cursor = k1;
    while (*k1 != *k2) {
      int found = *k1;
#pragma omp barrier
      found += mine + level++;
#pragma omp single
      *k1 = *k2;
      if (found > 3) {
#pragma omp for nowait
        for (int i = 0; i < found; i++) out[i] = *cursor;
#pragma omp barrier
#pragma omp master
        *out += found;
      }
    }
  }
}

/* A loop is the whole region: its last directive is not the region's end. */
void rounds(int n, long *out) {
#pragma omp parallel
  for (int t = 0; t < n; t++) {
#pragma omp for collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) out[i * n + j] += t;
  }
}

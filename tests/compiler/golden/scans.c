/* What loops hand on that is not their last iteration's alone. */
int scans(int n, const int *x, int *sums, int *before) {
  int s = 0, found = -1, all[2] = {0};
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    s += x[i];
#pragma omp scan inclusive(s)
    sums[i] = s;
  }
#pragma omp parallel
  {
#pragma omp for reduction(inscan, max : s) lastprivate(conditional : found)
    for (int i = n - 1; i >= 0; i -= 2) {
      before[i] = s;
#pragma omp scan exclusive(s)
      if (x[i] > s) found = i, s = x[i];
    }
#pragma omp for collapse(2) schedule(nonmonotonic : dynamic, 4) lastprivate(conditional : found)
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        if (x[i] == x[j]) found = i;
  }
  /* Those stay. */
#pragma omp parallel for reduction(inscan, + : all)
  for (int i = 0; i < n; i++) {
    all[i % 2] += x[i];
#pragma omp scan inclusive(all)
    sums[i] = all[0];
  }
#pragma omp parallel
#pragma omp for lastprivate(conditional : found) nowait
  for (int i = 0; i < n; i++)
    if (x[i]) found = i;
#pragma omp parallel for reduction(inscan, + : s) lastprivate(found)
  for (int i = 0; i < n; i++) {
    {
      found = i;
      s += x[i];
    }
#pragma omp scan inclusive(s)
    if (s > 7) found = -i;
  }
  return s + found;
}

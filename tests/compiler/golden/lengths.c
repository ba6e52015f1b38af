/* Arrays of variable length: by their elements, or with lengths that the frame has. */
double lengths(int n, int *x) {
  double row[n], table[n][n], part[n];
#pragma omp parallel for shared(row)
  for (int i = 0; i < n; i++) row[i] = x[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++) table[0][i] = row[i];
#pragma omp parallel private(part)
  part[0] = row[0];
#pragma omp parallel
  x[0] = (int)sizeof row;
  return row[n - 1] + table[0][0];
}

/* What a taskloop gives back. */
int given_back(int n) {
  int last = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop lastprivate(last) reduction(+ : sum)
    for (int i = 0; i < n; i++) last = i, sum += i;
  }
  return last + sum;
}

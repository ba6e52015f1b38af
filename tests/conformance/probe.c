// Whose runtime serves this program? Prints the path of every OpenMP library in the process, one a line.
#include <omp.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
  members += 1;
  char line[4096], last[4096] = "";
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps || members != 2) return 1;
  while (fgets(line, sizeof line, maps)) {
    char *path = strchr(line, '/');
    if (!path || strcmp(path, last) == 0) continue;
    if (strstr(path, "libgomp") || strstr(path, "libomp") || strstr(path, "libiomp") || strstr(path, "libeinkorn")) {
      strcpy(last, path);
      if (!strstr(path, "libeinkorn-audit")) fputs(path, stdout);
    }
  }
  fclose(maps);
  return 0;
}

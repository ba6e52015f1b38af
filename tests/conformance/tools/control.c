/* 100 tasks, a word to the recorder (argument: flush, end or no), and what comes after it. Prints the answers to start, pause
   and that word. For clang: gcc's omp.h knows nothing of tools. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void tasks(int n) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task
    __asm__ volatile("");
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "no";
  tasks(60);
  int start = omp_control_tool(omp_control_tool_start, 0, NULL), pause = omp_control_tool(omp_control_tool_pause, 0, NULL);
  tasks(40);
  int end = strcmp(what, "end") == 0;
  printf("%d %d %d\n", start, pause, omp_control_tool(end ? omp_control_tool_end : omp_control_tool_flush, 0, NULL));
  fflush(stdout);
  if (strcmp(what, "flush") == 0) raise(SIGKILL);
  tasks(30);
  return end && omp_control_tool(omp_control_tool_flush, 0, NULL) != omp_control_tool_ignored;
}

// The machine is as requested: the CPUs of each node, and the distances that the kernel and hwloc tell.
// compilers: gcc
// link: -lhwloc
#include <hwloc.h>
#include "numa_check.h"

static void as_the_kernel_says(void) {
  for (int node = 0; node < kNodes; ++node) {
    char path[80], text[80] = "", wanted[80] = "";
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/distance", node);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(text, sizeof text, file));
    if (file) fclose(file);
    for (int to = 0; to < kNodes; ++to)
      snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), to ? " %d" : "%d", wanted_distance(node, to));
    text[strcspn(text, "\n")] = 0;
    if (strcmp(text, wanted)) printf("%s has '%s', wanted '%s'\n", path, text, wanted), ++check_failures;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    file = fopen(path, "r");
    CHECK(file && fgets(text, sizeof text, file));
    if (file) fclose(file);
    snprintf(wanted, sizeof wanted, "%d-%d\n", node * kCpusPerNode, node * kCpusPerNode + kCpusPerNode - 1);
    if (strcmp(text, wanted)) printf("%s has '%s', wanted '%s'\n", path, text, wanted), ++check_failures;
  }
}

static void as_hwloc_says(void) {
  hwloc_topology_t topology;
  hwloc_topology_init(&topology);
  CHECK_EQUAL(hwloc_topology_load(topology), 0);
  CHECK_EQUAL(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), kNodes);
  CHECK_EQUAL(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), kNodes * kCpusPerNode);
  struct hwloc_distances_s *matrix = NULL;
  unsigned count = 1;
  hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &matrix, 0, 0);
  CHECK_EQUAL(count, 1);
  if (count == 1) {
    CHECK_EQUAL(matrix->nbobjs, kNodes);
    for (int from = 0; from < kNodes; ++from)
      for (int to = 0; to < kNodes; ++to) CHECK_EQUAL(matrix->values[from * kNodes + to], wanted_distance(from, to));
    hwloc_distances_release(topology, matrix);
  }
  hwloc_topology_destroy(topology);
}

int main(void) {
  as_the_kernel_says();
  as_hwloc_says();
  return check_end();
}

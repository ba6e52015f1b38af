#include "machine/home.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "base/environment.h"

namespace einkorn::machine {

namespace {

std::string absolute(const char* path) {
  char out[PATH_MAX];
  return path && *path && realpath(path, out) ? out : "";
}

// The file that this code is in. The linker knows libraries by their paths, but the program only by argv[0], which its
// caller chooses. The kernel knows the program's path; without /proc, the path that it was asked to execute is left.
std::string own_file() {
  Dl_info info;
  link_map* map = nullptr;
  if (!dladdr1(reinterpret_cast<void*>(&own_file), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map)
    return "";
  if (*map->l_name) return absolute(map->l_name);
  std::string program = absolute("/proc/self/exe");
  return program.empty() ? absolute(reinterpret_cast<const char*>(getauxval(AT_EXECFN))) : program;
}

}  // namespace

std::vector<std::string> homes() {
  std::vector<std::string> out;
  if (const char* said = environment("EINKORN_HOME"); said && *said) {
    std::string home = absolute(said);
    out.push_back(home.empty() ? said : home);
  }
  std::string folder = own_file();
  for (int up = 0; up < 2 && !folder.empty(); ++up) folder.resize(folder.rfind('/'));
  if (!folder.empty()) out.push_back(folder);
  return out;
}

}  // namespace einkorn::machine

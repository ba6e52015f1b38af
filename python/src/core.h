// What the parts of the extension share.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include "profile/profile.h"
#include "profile/types.h"

namespace einkorn::python {

namespace nb = nanobind;

// A recording in memory. Python holds it for as long as any array looks into it.
struct Recording {
  profile::Profile p;
};

struct LoadFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

// An array that looks at one member of the structures of a table: nothing is copied. `owner` keeps the table.
template <class S, class T>
Array<T> member(const std::vector<S>& table, const T S::* field, nb::handle owner) {
  static_assert(sizeof(S) % sizeof(T) == 0);
  static const T none{};
  const T* first = table.empty() ? &none : &(table.data()->*field);
  return Array<T>(first, {table.size()}, owner, {int64_t(sizeof(S) / sizeof(T))});
}

// An array that keeps `values` itself.
template <class T>
Array<T> keep(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(kept->data(), {kept->size()}, owner);
}

// Names come from files and may hold any bytes.
inline nb::object text(const std::string& s) {
  return nb::steal(PyUnicode_DecodeUTF8(s.data(), Py_ssize_t(s.size()), "replace"));
}

void add_columns(nb::class_<Recording>&);                // columns.cpp: grains, sources, threads, regions, loops, graph
void add_results(nb::module_&, nb::class_<Recording>&);  // results.cpp: metrics, compare

}  // namespace einkorn::python

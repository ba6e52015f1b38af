// The abstract machine of codelets: C clusters of U units each (Arteaga, Zuckerman and Gao 2017, 2.1). A unit is a
// worker. Which worker is in which cluster, and on which CPU: worker w is unit w % U of cluster w / U.
//
//   CxU             2x10: two clusters of ten, on the first CPUs of the machine, neighbours next to each other
//   CxU,compact     the same
//   CxU,spread      over the whole machine, as far from each other as it goes; neighbours in number stay near
//   CxU,LIST        on these CPUs in this order, as the system numbers them: 2x4,0-3,8-14:2
//
// A core has one worker before any has two.
#pragma once
#include <string>
#include <vector>

#include "machine/types.h"
#include "schedule/types.h"

namespace einkorn::schedule {

// False: *why says what is wrong and what is right. The text of a list is kept for good (it is not freed).
bool parse_shape(const char* text, Shape* out, std::string* why);
// Several, separated by commas: 1x20,2x10,spread,4x5.
bool parse_shapes(const char* text, std::vector<Shape>* out, std::string* why);
std::string shape_text(const Shape&);

// The PUs of its workers, as indices into machine.pus. False: the machine does not have that many, or not those.
bool place_shape(const Shape&, const machine::Machine&, std::vector<int>* pus, std::string* why);

// In which clusters workers on these PUs are: in that of which a worker is on the same PU. Where there is none by their
// number; where there is no shape, or none that fits, by node. At least one worker.
std::vector<int> clusters_of(const Shape&, const machine::Machine&, const std::vector<int>& pus);

}  // namespace einkorn::schedule

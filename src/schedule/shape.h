// The abstract machine of codelets: C clusters of U units each (Arteaga, Zuckerman and Gao 2017, 2.1). A unit is a
// worker. Which worker is in which cluster, and on which CPU: worker w is unit w % U of cluster w / U.
//
//   CxU             2x10: two clusters of ten, on the first CPUs of the machine, neighbours next to each other
//   CxU,compact     the same
//   CxU,spread      over the whole machine, as far from each other as it goes; neighbours in number stay near. Where
//                   all cores have one, the second ones are what is spread
//   CxU,LIST        on these CPUs in this order, as the system numbers them: 2x4,0-3,8-14:2
//
// A core has one worker before any has two. Spaces mean nothing but between the CPUs of a list.
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

// The PUs of a team of so many, which the runtime's places and the simulator's workers are: the shape's; those that are
// one too many go on on what is free, on a core that has none first. More than there are PUs: from the first again.
// No shape (or one that does not fit): all are on what is free.
std::vector<int> pus_of(const Shape&, const machine::Machine&, int threads);

// In which clusters workers on these PUs are, for all of a team in the same way. If each has a PU of the shape for
// itself: in that of its PU. Else (bound elsewhere, not bound, more of them) by their number. Where there is no shape,
// or none that fits, by node. At least one worker.
std::vector<int> clusters_of(const Shape&, const machine::Machine&, const std::vector<int>& pus);

}  // namespace einkorn::schedule

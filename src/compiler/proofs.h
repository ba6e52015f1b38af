// What may be left out where an instance gives way: each function here is one proof that an object of the region needs
// nothing done for it. What no proof covers lasts in the instance's memory, from its declaration on (live.h).
//
// A proof reasons over the text. Control goes forward in it, but for loops and labels (goto): `again()` is where it may
// come back to. A wrong proof makes a wrong program without a word, so tests/csmith has a wrong copy of each, and finds
// it.
#pragma once

#include <string>

#include "compiler/form.h"

namespace einkorn::compiler {

// An object of each instance of the plan: declared in its text, or private to it by a clause or as a parameter.
struct Object {
  const Plan& plan;
  int variable;
  bool inner;      // declared in the text
  Range name;      // where its name may stand
  Range lifetime;  // where it lasts: begins before `name` does where a goto may lead back over the declaration
};
// false: the variable is no such object, but shared, of file scope, or the function's own around the region.
bool is_object(const Plan& plan, int variable);
Object object_of(const Plan& plan, int variable);

// The address never leaves the expressions that name the object: nothing but these can read it or write it, now or
// later, on whichever thread. Not so for what is volatile, or shared by a task.
bool address_stays(const Object& o);

// The object is not there at that sync point: it belongs to one codelet, and its memory may be that codelet's stack.
bool is_elsewhere_at(const Object& o, const Sync& s);

// No expression behind the sync point names the object. Needs address_stays().
bool is_dead_at(const Object& o, const Sync& s);

// No expression before the sync point has given the object a value. Needs address_stays().
bool is_unset_at(const Object& o, const Sync& s);

// At the sync point the object's name means the object: no inner declaration of that name, no macro hides it.
bool is_named_at(const Unit& unit, const Object& o, const Sync& s);

}  // namespace einkorn::compiler

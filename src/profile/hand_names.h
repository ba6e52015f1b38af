// Names of codelets by hand that do not depend on who gives the last signal: a firing is the n-th, in the region where
// it fires, of the codelet that has that number of the program's and was made at that line. That is a name where one
// codelet alone is so in a region. Where several are, as in a recursion, each of whose instances has a codelet 0, a
// firing has a name by its creator, and that is whoever came last. They are told apart by where they lie. But memory is
// used again: if a line's are all 0, which is what who does not number them says, those that fire more than once count
// as several.
#pragma once
#include <vector>
#include "profile/raw.h"

namespace einkorn::profile {

class HandNames {
 public:
  // Of one firing. nth is kNone: it has no name of its own. region: in raw.regions; kNone: outside.
  struct Name {
    uint64_t as;  // record::fired_as()
    uint32_t region, nth;
  };

  HandNames() = default;
  explicit HandNames(const Recording& raw);  // after resolve_ids()
  // nullptr: the task is no codelet by hand.
  const Name* of(uint32_t task) const {
    return task < of_task_.size() && of_task_[task] != kNone ? &names_[of_task_[task]] : nullptr;
  }

 private:
  void keep_unique();
  std::vector<Name> names_;
  std::vector<uint32_t> of_task_;  // in names_, by task; empty: there is none
};

}  // namespace einkorn::profile

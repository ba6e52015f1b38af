# Makes model/mutants.h: copies of deque.h, each in a namespace of its own with one thing wrong, which the checker must
# find. Where the text to change is gone, kApplied is false and the test says so.
# Run by the build: cmake -DDEQUE=... -DOUT=... -P mutants.cmake
file(READ ${DEQUE} original)
string(REPLACE "#pragma once\n" "" original "${original}")
string(REPLACE "#include \"runtime/mutex.h\"\n" "" original "${original}")
set(text "// Made by mutants.cmake.\n#pragma once\n#include \"runtime/mutex.h\"\n")

function(mutant name from to)
  string(FIND "${original}" "${from}" at)
  set(applied true)
  if(at EQUAL -1)
    set(applied false)
  endif()
  string(REPLACE "${from}" "${to}" copy "${original}")
  string(REPLACE "namespace einkorn::runtime {" "namespace mutant_${name} {\nusing namespace einkorn::runtime;" copy "${copy}")
  string(REPLACE "}  // namespace einkorn::runtime" "constexpr bool kApplied = ${applied};\n}  // namespace mutant_${name}"
         copy "${copy}")
  string(REPLACE "runtime::light_fence" "einkorn::runtime::light_fence" copy "${copy}")
  string(REPLACE "runtime::heavy_fence" "einkorn::runtime::heavy_fence" copy "${copy}")
  string(REPLACE "runtime::full_fence" "einkorn::runtime::full_fence" copy "${copy}")
  string(REPLACE "runtime::ticks" "einkorn::runtime::ticks" copy "${copy}")
  set(text "${text}${copy}" PARENT_SCOPE)
endfunction()

mutant(split_first
  "bottom_.store(b, std::memory_order_release);\n    light_fence();"
  "int64_t early = split_.load(std::memory_order_relaxed);\n    bottom_.store(b, std::memory_order_release);\n    if (early <= b) return slots_.load(std::memory_order_relaxed)[b & mask_].load(std::memory_order_relaxed);\n    light_fence();")
mutant(no_retreat "s = now > t ? now : t;\n        split_.store(s, std::memory_order_relaxed);" "s = now > t ? now : t;")
mutant(stale_bottom "int64_t now = bottom_.load(std::memory_order_acquire);" "int64_t now = b;")
mutant(unlocked_growth "lock_.lock();  // thieves read" "lock_.try_lock();  // thieves read")
mutant(keeps_item_public "split_.store(b + 1 - took_back_," "split_.store(b + 2 - took_back_,")
file(WRITE ${OUT} "${text}")

// Why something stays OpenMP's: all sentences there are, each with what the program's author can do about it.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace einkorn::compiler {

enum class Why : uint8_t {
  // The function of the region.
  two_files,
  function_by_macro,
  inline_function,
  declare_simd,
  c89,
  // The text: macros, conditions, names.
  if_across,
  asks_compiler,
  declared_in_if,
  include,
  macro_changes,
  macro_changes_behind,
  between,
  counts,
  directive_by_macro,
  clause_by_macro,
  one_clause_by_macro,
  macro_names_shared,
  macro_names_lasting,
  macro_spells,
  not_understood,
  two_variables,
  declared_by_function,
  // Directives and clauses that codelets do not have.
  directive,
  clause,
  clause_of,
  default_clause,
  copyin_type,
  clause_changes,
  in_task,
  no_section,
  loop,
  more_teams,
  // Loops that are collapsed and give values back.
  collapsed_linear,
  collapsed_plain,
  collapsed_hidden,
  collapsed_bounds,
  // Types and kinds of variables.
  type_varies,
  type_local,
  is_register,
  aligned_in,
  aligned_private,
  clause_type,
  clause_const,
  static_in,
  extern_in,
  by_name_in_register,
  thread_local_in,
  cleanup,
  // Reductions.
  reduction_task,
  reduction_number,
  reduction_limits,
  reduction_type,
  reduction_section,
  reduction_simd,
  reduction_array,
  // Scans, and the last value that was assigned.
  scan_loop,
  scan,
  scan_linear,
  scan_nowait,
  scan_array,
  scan_number,
  scan_limits,
  scan_declares_variable,
  scan_declares_type,
  scan_last,
  conditional_nowait,
  conditional_type,
  conditional_counter,
  conditional_loops,
  conditional_address,
  conditional_macro,
  conditional_inside,
  // What lives over a sync point.
  lives_type,
  lives_declaration,
  lives_macro,
  lives_beside,
  lives_list,
  lives_counter,
  sync_array,
  sync_type,
  sync_literal,
  sync_expression,
  sync_alloca,
  sync_taskgroup,
  sync_task_reduction,
  sync_reduction,
  // Tasks and other directives in a region.
  task_shares,
  task_default,
  clause_names,
  clause_names_section,
  simd_counts,
  own_in_loop,
  // What depends on the function that it is in.
  long_jump,
  arguments,
  label_outside,
  block,
  computed_goto,
  asm_goto,
  // Tasks with depend that are made anew each time.
  run_beside,
  run_clause,
  run_inside,
  run_steering,
  run_counter,
  run_data,
  run_goes_on,
  run_does_not_compile,
  // The translation was tried.
  does_not_compile,
  file_does_not_compile,
  // Functions and tasks that are no procedures.
  main_function,
  no_prototype,
  value_type,
  returns_by_macro,
  has_region,
  has_directive,
  calls_itself,
  task_kind,
  task_in_taskgraph,
  task_in_construct,
  task_part_of_array,
  task_clause,
  region_without,
  no_procedure,
  nothing_waits,
  bound_to_thread,
  too_long,
  not_called,
  not_reached,
  of_complexes,
  count_
};

struct Reason {
  Why why;
  const char* id;        // "if-across"
  const char* sentence;  // %1, %2 and %3 stand for names in it
  const char* advice;    // what the program's author can do
};
const std::vector<Reason>& reasons();

// The sentence with what the values stand for.
std::string because(Why why, std::initializer_list<std::string> values = {});

}  // namespace einkorn::compiler

// Large global variables: arrays of the program and its libraries that are in no block which anybody allocates. Found
// when the recording begins, in the tables of symbols of what is loaded then; on which memory nodes they lie is asked
// when it ends.
#pragma once
namespace einkorn::record {

class Output;

// Whose sites are added at once. on_nodes: the system is to be asked where pages are.
void keep_variables(bool on_nodes);
// `allocations` blocks, each variable as one block of memory; but those that have no memory, where that was asked.
void write_variables(Output&);

}  // namespace einkorn::record

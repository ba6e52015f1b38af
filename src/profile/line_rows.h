// Rows of a DWARF line table, in the order of their addresses within a sequence.
#pragma once
#include <cstddef>
#include <elfutils/libdw.h>

namespace einkorn::profile {

inline Dwarf_Addr address_of_row(Dwarf_Lines* lines, size_t row) {
  Dwarf_Addr address = 0;
  dwarf_lineaddr(dwarf_onesrcline(lines, row), &address);
  return address;
}

inline bool ends_sequence(Dwarf_Lines* lines, size_t row) {
  bool end = false;
  dwarf_lineendsequence(dwarf_onesrcline(lines, row), &end);
  return end;
}

// Several rows may have one address: the last of them is the line that the instruction belongs to. This is the one that
// opens the function which begins there, if one does: the first with which a statement begins, as gcc may end the
// function before with a row at the same address. row: any of them.
inline size_t opening_row(Dwarf_Lines* lines, size_t count, size_t row) {
  const Dwarf_Addr address = address_of_row(lines, row);
  while (row > 0 && address_of_row(lines, row - 1) == address && !ends_sequence(lines, row - 1)) --row;
  for (size_t i = row; i < count && address_of_row(lines, i) == address && !ends_sequence(lines, i); ++i) {
    bool begins = false;
    int number = 0;  // 0: of no line in particular
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    if (dwarf_linebeginstatement(line, &begins) == 0 && begins && dwarf_lineno(line, &number) == 0 && number > 0)
      return i;
  }
  return row;
}

}  // namespace einkorn::profile

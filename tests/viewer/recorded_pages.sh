#!/bin/sh
# recorded_pages.sh EINKORN NODE FOLDER PROGRAMS: records some of the programs (PROGRAMS/NAME-gcc), makes their pages; of
# one with two threads held against itself with one, and the page of those two side by side; and checks them all in one browser.
set -eu
einkorn=$1 node=$2 folder=$3 programs=$4
here=$(dirname "$0")
mkdir -p "$folder"
names=

page() {  # NAME PROGRAM ARGUMENT...
  name=recorded_$1 base=$folder/recorded_$1 program=$programs/$2-gcc
  shift 2
  OMP_NUM_THREADS=2 "$einkorn" record -o "$base.grain" -- "$program" "$@" > "$base.txt" 2>&1 || { cat "$base.txt" >&2; exit 1; }
  "$einkorn" report "$base.grain" --html "$base.html"
  "$einkorn" report "$base.grain" --json > "$base.report.json"
  "$node" "$here/expect_recorded.mjs" "$base.report.json" > "$base.json"
  names="$names $name"
}

# A comparison is about times, which a busy machine has none of: of recordings that are kept, of a program of tests/truth.
kept() {  # NAME PROGRAM
  name=recorded_$1 base=$folder/recorded_$1
  xz -dc "$here/../kept/$2-1.grain.xz" > "$base.one.grain"
  xz -dc "$here/../kept/$2-2.grain.xz" > "$base.grain"
  set -- --source-root "$here/../truth"
  "$einkorn" report "$base.grain" --baseline "$base.one.grain" "$@" --html "$base.html"
  "$einkorn" report "$base.grain" --baseline "$base.one.grain" --json > "$base.report.json"
  "$node" "$here/expect_recorded.mjs" "$base.report.json" > "$base.json"
  "$einkorn" compare "$base.one.grain" "$base.grain" "$@" --html "$base.pair.html"
  "$einkorn" compare "$base.one.grain" "$base.grain" --json > "$base.pair.json"
  names="$names $name $name.pair"
}

page fib fib --size 24  # 150,048 tasks
page sparselu sparselu --size 12 --block 30
page heat heat --size 200
page sort sort --size 400000
page graph cholesky --version codelet --size 5 --block 40
page procedures nqueens --version codelet --size 6
kept tasks irregular_tasks-gcc
# Who allocates memory: two lines of a program of its own.
cat > "$folder/memory.c" << 'END'
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *kept = malloc(8 << 20);
#pragma omp parallel for
  for (int i = 0; i < 8; ++i) {
    char *part = malloc(1 << 20);
    memset(part, i, 1 << 20);
    memcpy(kept + ((long)i << 20), part, 1 << 20);
    free(part);
  }
  return kept[9] != 0;
}
END
gcc -g -O1 -fopenmp -o "$folder/memory" "$folder/memory.c"
base=$folder/recorded_memory
OMP_NUM_THREADS=2 "$einkorn" record --allocations -o "$base.grain" -- "$folder/memory" > "$base.txt" 2>&1 || { cat "$base.txt" >&2; exit 1; }
"$einkorn" report "$base.grain" --html "$base.html"
"$einkorn" report "$base.grain" --json > "$base.report.json"
"$node" "$here/expect_recorded.mjs" "$base.report.json" > "$base.json"
names="$names recorded_memory"
# As on another machine, whose picture is in the page.
export EINKORN_MACHINE=nehalem-ex-4x8 EINKORN_SCHEDULE=domains-strict
page elsewhere health --size 4 --steps 20 --placement domains
exec "$node" "$here/page_test.mjs" "$folder" $names

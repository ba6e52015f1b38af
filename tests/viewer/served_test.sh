#!/bin/sh
# served_test.sh EINKORN NODE FOLDER PROBLEM PROGRAM [ARGUMENT...]: records the program and checks what `einkorn view` makes of it; and
# whether a problem goes along, which is found where times are valid: in a recording that is kept (PROBLEM.xz).
set -eu
einkorn=$1 node=$2 folder=$3 problem=$4
shift 4
here=$(dirname "$0")
mkdir -p "$folder"
OMP_NUM_THREADS=2 "$einkorn" record -o "$folder/served.grain" -- "$@" > "$folder/served.txt" 2>&1 || { cat "$folder/served.txt" >&2; exit 1; }
"$node" "$here/served_test.mjs" "$einkorn" "$folder/served.grain" 2000 "$folder/served.png"
xz -dc "$problem" > "$folder/served_problem.grain"
"$node" "$here/served_test.mjs" "$einkorn" "$folder/served_problem.grain" 2000 "$folder/served_problem.png" aProblemGoesAlong

#!/bin/sh
# served_test.sh EINKORN NODE FOLDER PROGRAM [ARGUMENT...]: records the program and checks what `einkorn view` makes of it.
set -eu
einkorn=$1 node=$2 folder=$3
shift 3
here=$(dirname "$0")
if [ ! -d "$here/node_modules/playwright-core" ]; then
  echo "playwright-core is not installed: build the target viewer_test_packages (npm ci in $here)" >&2
  exit 1
fi
mkdir -p "$folder"
# A problem has to be found, and there are few where times are not valid (a busy machine).
first=
chrt -f 10 true 2> /dev/null && first="chrt -f 10"  # other work does not upset the times
for try in 1 2 3 4 5; do
  OMP_NUM_THREADS=2 $first "$einkorn" record -o "$folder/served.grain" -- "$@" > "$folder/served.txt" 2>&1 || { cat "$folder/served.txt" >&2; exit 1; }
  grep -q "times are not valid" "$folder/served.txt" || break
done
exec "$node" "$here/served_test.mjs" "$einkorn" "$folder/served.grain" 2000 "$folder/served.png"

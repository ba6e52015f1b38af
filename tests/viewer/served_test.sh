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
OMP_NUM_THREADS=2 "$einkorn" record --no-report -o "$folder/served.grain" -- "$@"
exec "$node" "$here/served_test.mjs" "$einkorn" "$folder/served.grain" 2000 "$folder/served.png"

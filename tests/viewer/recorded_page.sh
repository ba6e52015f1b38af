#!/bin/sh
# recorded_page.sh EINKORN NODE FOLDER NAME PROGRAM [ARGUMENT...]: records the program, makes its page and checks it.
set -eu
einkorn=$1 node=$2 folder=$3 name=$4
shift 4
here=$(dirname "$0")
if [ ! -d "$here/node_modules/playwright-core" ]; then
  echo "playwright-core is not installed: build the target viewer_test_packages (npm ci in $here)" >&2
  exit 1
fi
mkdir -p "$folder"
base=$folder/$name
# The summary says when times are not valid (a busy machine): nothing here depends on them.
OMP_NUM_THREADS=2 "$einkorn" record -o "$base.grain" -- "$@" > "$base.txt" 2>&1 || { cat "$base.txt" >&2; exit 1; }
"$einkorn" report "$base.grain" --html "$base.html"
"$einkorn" report "$base.grain" --json > "$base.report.json"
"$node" "$here/expect_recorded.mjs" "$base.report.json" > "$base.json"
exec "$node" "$here/page_test.mjs" "$base.html" "$base.json" "$base.png"

#!/bin/sh
# recorded_page.sh EINKORN NODE FOLDER NAME PROGRAM [ARGUMENT...]: records the program, makes its page and checks it. With
# EINKORN_PAGE_BASELINE: held against a run on one thread; and the page of the two side by side.
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
# The summary says when times are not valid (a busy machine): only comparisons depend on them.
first=
tries=1
if [ -n "${EINKORN_PAGE_BASELINE:-}" ]; then
  tries="1 2 3 4 5"
  chrt -f 10 true 2> /dev/null && first="chrt -f 10"  # other work does not upset the times
fi
record() {  # THREADS RECORDING COMMAND...
  threads=$1 to=$2
  shift 2
  for try in $tries; do
    OMP_NUM_THREADS=$threads $first "$einkorn" record -o "$to.grain" -- "$@" > "$to.txt" 2>&1 || { cat "$to.txt" >&2; exit 1; }
    grep -q "times are not valid" "$to.txt" || break
  done
}
record 2 "$base" "$@"
if [ -n "${EINKORN_PAGE_BASELINE:-}" ]; then
  record 1 "$base.one" "$@"
  "$einkorn" report "$base.grain" --baseline "$base.one.grain" --html "$base.html"
  "$einkorn" report "$base.grain" --baseline "$base.one.grain" --json > "$base.report.json"
  "$einkorn" compare "$base.one.grain" "$base.grain" --html "$base.pair.html"
  "$einkorn" compare "$base.one.grain" "$base.grain" --json > "$base.pair.json"
  "$node" "$here/page_test.mjs" "$base.pair.html" "$base.pair.json" "$base.pair.png"
else
  "$einkorn" report "$base.grain" --html "$base.html"
  "$einkorn" report "$base.grain" --json > "$base.report.json"
fi
"$node" "$here/expect_recorded.mjs" "$base.report.json" > "$base.json"
exec "$node" "$here/page_test.mjs" "$base.html" "$base.json" "$base.png"

#!/bin/sh
# page_test.sh MAKE_PAGE NODE FOLDER NAME SHAPE SIZE [OPTIONS]: makes FOLDER/NAME.html and checks it in the browser.
set -eu
make_page=$1 node=$2 folder=$3 name=$4
shift 4
here=$(dirname "$0")
if [ ! -d "$here/node_modules/playwright-core" ]; then
  echo "playwright-core is not installed: build the target viewer_test_packages (npm ci in $here)" >&2
  exit 1
fi
mkdir -p "$folder"
"$make_page" "$folder/$name.html" "$@" > "$folder/$name.json"
exec "$node" "$here/page_test.mjs" "$folder/$name.html" "$folder/$name.json" "$folder/$name.png"

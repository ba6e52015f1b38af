#!/bin/sh
# page_test.sh MAKE_PAGE NODE FOLDER "NAME SHAPE SIZE [OPTION...]"...: makes each FOLDER/NAME.html and checks them in one browser.
set -eu
make_page=$1 node=$2 folder=$3
shift 3
mkdir -p "$folder"
names=
for page in "$@"; do
  set -- $page
  name=$1
  shift
  "$make_page" "$folder/$name.html" "$@" > "$folder/$name.json"
  names="$names $name"
done
exec "$node" "$(dirname "$0")/page_test.mjs" "$folder" $names

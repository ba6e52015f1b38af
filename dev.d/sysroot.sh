#!/usr/bin/env bash
# sysroot.sh FOLDER   arm64's libraries and headers, as packaging/cross/aarch64.cmake wants them: Debian's packages, unpacked and
# not installed. 100 MB are fetched once; nothing of this machine changes.
set -euo pipefail
folder=$1
packages=libc6-dev,libstdc++-12-dev,libgcc-12-dev,libgomp1,libgfortran5,libomp-19-dev,libomp5-19,libhwloc-dev,libzstd-dev,zlib1g-dev,libdw-dev,libelf-dev,libfmt-dev,libgtest-dev
packages+=,nlohmann-json3-dev,libcli11-dev,libcpp-httplib-dev,libopen-trace-format2-dev
packages+=,libdebuginfod1  # opened by libdw where names are asked for
packages+=,bash,coreutils,dash,grep,musl-dev  # programs that programs under test start (tests/cross/emulated.py); a C library that is refused
key=$(sha256sum <<<"$packages")
if [[ -f $folder/.einkorn-stamp && $(<"$folder/.einkorn-stamp") == "$key" ]]; then exit; fi
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
# From where this machine has its own packages, where that is Debian 12.
sources=()
if grep -qs bookworm /etc/apt/sources.list.d/debian.sources; then sources=(/etc/apt/sources.list.d/debian.sources); fi
mmdebstrap --variant=extract --architectures=arm64 --include="$packages" bookworm "$folder" "${sources[@]}"
# The compiler finds libm.so's and others' absolute links below its sysroot only if they are relative.
find "$folder/usr/lib/aarch64-linux-gnu" -maxdepth 1 -lname '/*' -printf '%p %l\n' | while read -r link target; do
  ln -sfrT "$folder$target" "$link"
done
# musl-dev brings a compiler, which would be emulated where this machine's cross compiler is meant.
rm -f "$folder"/usr/bin/aarch64-linux-gnu-*
find -L "$folder/usr/bin" -type l -delete
printf '%s\n' "$key" >"$folder/.einkorn-stamp"

# shellcheck shell=bash
# Part of ./dev: what a machine needs before anything can be built. Nothing is installed twice: packages are looked up
# in dpkg's own list, the rest leaves a stamp with the hash of the list it was made from.

assume_yes=0

die() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

# LABEL COMMAND...: runs COMMAND with its output in build/log; a failure shows the end of it.
step() {
  local label=$1 log start=$SECONDS pid
  shift
  mkdir -p build/log
  log=build/log/${label//[^a-zA-Z0-9]/-}.log
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill "$pid" 2>/dev/null' INT TERM
  if [[ -t 1 ]]; then
    while kill -0 "$pid" 2>/dev/null; do
      printf '\r%s ... %d s' "$label" $((SECONDS - start))
      sleep 0.2
    done
    printf '\r'
  fi
  if wait "$pid"; then
    printf '%s ... %d s\n' "$label" $((SECONDS - start))
  else
    printf '%s ... failed\n' "$label"
    tail -n 40 "$log" >&2
    die "'$label' failed; the whole log is $log"
  fi
  trap - INT TERM
}

# The packages of the given sets that are not installed, one per line.
missing_packages() {
  local installed set package command codename
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^.i *//p')
  while read -r set package command; do
    [[ $set == *:"$codename" ]] && set=${set%:*}
    [[ " $* " == *" $set "* ]] || continue
    if [[ -n $command ]] && command -v "$command" >/dev/null; then continue; fi
    grep -qxF "$package" <<<"$installed" || printf '%s\n' "$package"
  done < <(sed 's/#.*//' dev.d/packages) | sort -u
}

apt_install() {
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# Installs the packages of the given sets, all in one go.
install_packages() {
  local packages line answer
  as_root=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    printf 'dev: there is no apt-get: the packages of dev.d/packages must be installed already\n' >&2
    return
  fi
  mapfile -t packages < <(missing_packages "$@")
  ((${#packages[@]})) || return 0
  line="apt-get update && apt-get install -y --no-install-recommends ${packages[*]}"
  printf 'Needed and not installed: %s\n' "${packages[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "not root, and there is no sudo. As root, type:
  $line"
    as_root=(sudo)
  fi
  if [[ -t 0 && -t 1 && ${CI:-} != true ]] && ((!assume_yes)); then
    read -r -p "Install them now with ${as_root[*]:+sudo }apt-get? [Y/n] " answer
    [[ ${answer:-y} == [yY]* ]] || die "nothing installed. To do it by hand:
  $line"
    ((EUID == 0)) || sudo -v || die "sudo did not let us in. As root, type:
  $line"
  elif ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
    die "sudo wants a password, and there is nobody to ask. As root, type:
  $line"
  fi
  step "install ${#packages[@]} packages and what they need" apt_install "${packages[@]}"
}

# STAMP KEY: does STAMP hold KEY?
stamped() {
  [[ -f $1 && $(<"$1") == "$2" ]]
}

# VENV LIST...: a virtual environment with the wheels that the lists name. Wheels only: nothing is compiled here.
install_wheels() {
  local venv=$1 key list lists=()
  shift
  key=$(cat "$@" <(python3 --version) | sha256sum)
  if stamped "$venv/.einkorn-stamp" "$key"; then return; fi
  for list in "$@"; do lists+=(-r "$list"); done
  step "$venv" python3 -m venv --clear "$venv"
  step "wheels in $venv" "$venv/bin/python" -m pip install --disable-pip-version-check --only-binary=:all: "${lists[@]}"
  printf '%s\n' "$key" >"$venv/.einkorn-stamp"
}

# build/wheels: what pip needs to build and install the Python package, as files, so that tests/python/sdist.py and
# tests/install/wheel.py ask no index.
keep_wheels() {
  local key
  key=$(sha256sum <build/venv/.einkorn-stamp)
  if stamped build/wheels/.einkorn-stamp "$key"; then return; fi
  rm -rf build/wheels
  step "wheels for the Python package" build/venv/bin/python -m pip download --disable-pip-version-check --only-binary=:all: \
    --constraint packaging/requirements.txt --constraint tests/cli/requirements.txt --dest build/wheels scikit-build-core nanobind numpy
  printf '%s\n' "$key" >build/wheels/.einkorn-stamp
}

# The tests of LLVM's runtime, from Debian's source package: 160 MB are fetched once, openmp/ of it stays in ~/.cache.
fetch_llvm_tests() {
  if python3 tests/conformance/sources.py --have; then return; fi
  step "tests of LLVM's OpenMP runtime" python3 tests/conformance/sources.py
}

# The kernel of the emulated machine: Debian's, unpacked and not installed. 30 MB are fetched once. --target aarch64: of another one.
fetch_kernel() {
  if python3 tests/numa/kernel.py --have "$@"; then return; fi
  step "kernel of the emulated machine" python3 tests/numa/kernel.py "$@"
}

# Sets: those of dev.d/packages. Node.js packages are the build's own business: viewer/viewer.cmake, tests/viewer.
set_up() {
  install_packages "$@"
  if [[ " $* " == *" test "* ]]; then
    install_wheels build/venv packaging/requirements.txt tests/cli/requirements.txt
    keep_wheels
    fetch_kernel
    if [[ ${EINKORN_LLVM_TESTS:-0} != 0 ]]; then fetch_llvm_tests; fi
  fi
  if [[ " $* " == *" cross "* ]]; then fetch_kernel --target aarch64; fi
  if [[ " $* " == *" package "* ]]; then install_wheels build/packaging-venv packaging/requirements.txt; fi
}

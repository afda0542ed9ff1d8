#!/bin/sh
# Make the virtual environment, install requirements.lock and, editable, this checkout;
# with "browser", also see to what the tests use: a Chromium, and bubblewrap. Nothing
# is done twice: the stamp holds the version of Python and a checksum of what is installed.
set -eu
cd "$(dirname "$0")/../../.."

venv=${VENV:-.venv}
run=${BIN:-$venv/bin}/python
python=${PYTHON:-python3}
log=.cache/logs/setup.log
stamp=$venv/.stamp
unfinished=$venv/.unfinished

stop() {
    echo "$1" >&2
    exit 1
}

writable() { # asked only where there is something to do
    mkdir -p .cache/logs 2>/dev/null && [ -w . ] && [ -w .cache/logs ] ||
        stop "Nothing can be written into $PWD: copy the book into a folder of your own, then run make there."
}

is_full() { # the log may say so, or lie on the disk that is full
    grep -qiE 'no space left|quota exceeded|not enough space' "$log" ||
        df -Pk "$venv" "${TMPDIR:-/tmp}" |
        awk 'NR > 1 && $4 < 100000 { full = 1 } END { exit !full }'
}

fail() { # what was tried; why it failed is said behind it, after the end of the log
    tail -n 25 "$log" >&2
    ! is_full || stop "$1: a disk is full. The environment takes 3 GB, and more with the PyTorch for GPUs; make room in $PWD and in ${TMPDIR:-/tmp}, then run make again."
    ! grep -qiE 'connect|timed out|resolv|failed to fetch' "$log" ||
        stop "$1: check the network, then run make again."
    stop "$1: the log above says why."
}

is_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install_debian() { # the names of packages
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -q && apt-get install -q -y --no-install-recommends "$@"; } \
        >>"$log" 2>&1
}

version_of() { # one line like "3.11.2", nothing where that Python does not run
    "$1" -c 'import platform; print(platform.python_version(), end="")' 2>/dev/null || true
}

# Where none is named, an environment that works keeps the Python it was made with.
if [ -z "${PYTHON:-}" ] && [ ! -e "$unfinished" ] && [ -n "$(version_of "$run")" ]; then
    python=$run
fi
version=$(version_of "$python")
case $version in
3.11.* | 3.12.* | 3.13.*) ;;
"") stop "No Python 3 runs as $python: install Python 3.11, 3.12 or 3.13, or name one with 'make PYTHON=…'." ;;
*) stop "$python is Python $version: the book needs 3.11, 3.12 or 3.13; name one with 'make PYTHON=…'." ;;
esac

# An environment of another Python, or one whose installation was cut off, is made anew.
if [ -e "$unfinished" ] || [ "$(version_of "$run")" != "$version" ]; then
    writable
    echo "Making the virtual environment $venv with Python $version"
    : >"$log"
    rm -rf "$venv"
    mkdir -p "$venv"
    : >"$unfinished" # until the installation below is whole
    if ! "$python" -c 'import ensurepip, venv' >>"$log" 2>&1; then
        is_root || stop "$python lacks the module venv: install it (Debian and Ubuntu: sudo apt-get install python3-venv), then run make again."
        echo "Installing python3-venv, which Debian keeps apart from Python"
        install_debian "python${version%.*}-venv" || install_debian python3-venv ||
            fail "apt-get could not install python3-venv"
    fi
    "$python" -m venv "$venv" >>"$log" 2>&1 ||
        fail "$python cannot make a virtual environment"
fi

wanted="$version $(cat requirements.lock pyproject.toml | cksum)"
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    writable
    echo "Installing requirements.lock into $venv (minutes the first time; log: $log)"
    rm -f "$stamp"
    : >"$unfinished"
    "$run" -m pip install --disable-pip-version-check --no-input \
        --progress-bar off -r requirements.lock >>"$log" 2>&1 ||
        fail "pip could not install requirements.lock"
    "$run" -m pip install --disable-pip-version-check --no-input --no-index --no-deps \
        --no-build-isolation --editable . >>"$log" 2>&1 ||
        fail "pip could not install lib from this folder"
    rm -f "$unfinished"
    echo "$wanted" >"$stamp"
fi

[ "${1:-}" = browser ] || exit 0
writable
if ! "$run" -m book.tools.site.browser >/dev/null 2>&1; then
    is_root || stop "The tests of the site need Chrome or Chromium: install one (Debian: sudo apt-get install chromium) or name one with 'make test CHROMIUM=/path/to/it'."
    echo "Installing chromium, which the tests of the site drive"
    install_debian chromium fonts-dejavu-core ||
        fail "apt-get could not install chromium"
fi
if ! command -v bwrap >/dev/null && is_root; then
    echo "Installing bubblewrap, behind which the tests grade"
    install_debian bubblewrap || echo "It cannot be had: some tests say so and skip." >&2
fi

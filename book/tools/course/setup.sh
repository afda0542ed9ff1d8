#!/bin/sh
# Make the environment that grades, .venv-course: it sees the packages of .venv, and has
# requirements-course.txt beside them. Nothing is done twice, as in book/tools/project/setup.sh.
set -eu
cd "$(dirname "$0")/../../.."

venv=${VENV:-.venv}
run=${BIN:-$venv/bin}/python
course=$venv-course
log=.cache/logs/setup-course.log
stamp=$course/.stamp
mkdir -p .cache/logs

fail() {
    tail -n 25 "$log" >&2
    echo "$1" >&2
    exit 1
}

shared=$("$run" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
wanted="$("$run" -V) $shared $(cksum <requirements-course.txt)"
[ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || exit 0

echo "Installing requirements-course.txt into $course (a minute; log: $log)"
rm -rf "$course"
"$run" -m venv --without-pip "$course" >"$log" 2>&1 ||
    fail "$run cannot make a virtual environment: the log above says why."
python=$course/$(basename "$(dirname "$run")")/python
own=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
echo "$shared" >"$own/shared.pth"
"$run" -m pip --python "$python" install --disable-pip-version-check --no-input \
    --progress-bar off --no-deps --ignore-installed -r requirements-course.txt >>"$log" 2>&1 ||
    fail "pip could not install requirements-course.txt: the log above says why (a network, a disk); then run make course again."
echo "$wanted" >"$stamp"

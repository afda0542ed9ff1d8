#!/bin/sh
# Every check of the project, the quick ones first; with arguments, pytest on those alone.
# The last line says what happened. All checks run, also after one has failed.
cd "$(dirname "$0")/../.." || exit 1
run=${VENV:-.venv}/bin/python
step=book/tools/step.sh
start=$(date +%s)
failed=""
pytest="-p no:cacheprovider --nbval --nbval-sanitize-with tests/nbval.cfg
    --nbval-cell-timeout 600 --nbval-kernel-startup-timeout 120 --doctest-modules"

if [ $# -gt 0 ]; then
    # shellcheck disable=SC2086  # the options are words
    exec "$run" -m pytest -q $pytest "$@"
fi

"$step" "Layout (ruff format)" format "$run" -m ruff format --check . || failed="$failed layout,"
"$step" "Mistakes (ruff check)" ruff "$run" -m ruff check . || failed="$failed ruff,"
"$step" "Types (mypy)" mypy "$run" -m mypy || failed="$failed types,"
"$step" "Order of the modules (import-linter)" imports "${run%/*}/lint-imports" \
    --no-logo --cache-dir .cache/import-linter || failed="$failed imports,"
"$run" book/tools/build_site.py || failed="$failed site,"

echo "Tests, doctests and the stored outputs of every chapter (pytest, two side by side)"
chapters=$(ls book/[0-9][0-9]_*.ipynb 2>/dev/null)
# shellcheck disable=SC2086  # the options are words, the chapters have no spaces
"$run" -m pytest -q $pytest -n "${WORKERS:-2}" --dist loadscope \
    --no-loadscope-reorder lib tests $chapters ||
    failed="$failed pytest,"

took=$(($(date +%s) - start))
if [ -n "$failed" ]; then
    echo "make test: FAILED in ${failed# } after $took s; what failed stands above."
    exit 1
fi
echo "make test: everything passed in $took s."

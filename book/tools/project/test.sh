#!/bin/sh
# Every check of the project, the quick ones first; with --quick only what needs no
# training, no browser and no built site, and each property on few examples; with other
# arguments, pytest on those alone. The last line says what happened. All checks run,
# also after one has failed.
cd "$(dirname "$0")/../../.." || exit 1
run=${BIN:-.venv/bin}/python
step=book/tools/project/step.sh
start=$(date +%s)
failed=""
side_by_side="-n ${WORKERS:-2} --dist loadscope --no-loadscope-reorder"
pytest="-p no:cacheprovider -p tests.solutions_run --nbval --nbval-sanitize-with tests/nbval.cfg
    --nbval-cell-timeout 600 --nbval-kernel-startup-timeout 120 --doctest-modules"

drives_a_browser() { # [ARGUMENT…] of pytest: do they name a test that needs one?
    named=no
    perhaps=no
    for word in "$@"; do
        case $word in
        *.ipynb*) named=yes ;;
        *.py | *.py::*)
            named=yes
            grep -Eqs "playwright|mark\.browser" "${word%%::*}" && perhaps=yes
            ;;
        -*) ;;
        *) perhaps=yes ;; # a folder, or the value of an option
        esac
    done
    [ "$perhaps" = yes ] || [ "$named" = no ] || return 1
    # Asked exactly, which takes pytest seconds; 5 stands for "there is no such test".
    # shellcheck disable=SC2086  # the options are words
    "$run" -m pytest -q $pytest --collect-only -m browser "$@" >/dev/null 2>&1
    [ $? -ne 5 ]
}

check_code() { # layout, mistakes, types and the order of the modules
    sh "$step" "Layout (ruff format)" format "$run" -m ruff format --check . ||
        failed="$failed layout,"
    sh "$step" "Mistakes (ruff check)" ruff "$run" -m ruff check . ||
        failed="$failed ruff,"
    sh "$step" "Types (mypy)" mypy "$run" -m mypy || failed="$failed types,"
    sh "$step" "Order of the modules (import-linter)" imports \
        "${run%/*}/lint-imports" --no-logo --cache-dir .cache/import-linter ||
        failed="$failed imports,"
}

finish() { # the name of what ran: say how it ended
    took=$(($(date +%s) - start))
    if [ -n "$failed" ]; then
        echo "$1: FAILED in ${failed# } after $took s; what failed stands above."
        exit 1
    fi
    echo "$1: everything passed in $took s."
    exit 0
}

if [ "${1:-}" = --quick ]; then
    check_code
    echo "Tests and doctests that take no training (pytest, two side by side)"
    # shellcheck disable=SC2086  # the options are words
    QUICK=1 "$run" -m pytest -q -p no:cacheprovider --doctest-modules $side_by_side \
        -m "not slow and not browser and not site" --durations 3 --durations-min 3 \
        lib tests || failed="$failed pytest,"
    finish "make quick"
fi

if [ $# -gt 0 ]; then
    if drives_a_browser "$@"; then sh book/tools/project/setup.sh browser || exit 1; fi
    # shellcheck disable=SC2086  # the options are words
    exec "$run" -m pytest -q $pytest "$@"
fi

sh book/tools/project/setup.sh browser || exit 1
said=$(mktemp)
"$run" -m book.tools.site.build_site >"$said" 2>&1 & # needs one core, and so does mypy
site=$!
check_code
wait "$site" || failed="$failed site,"
cat "$said"
rm "$said"
echo "Tests, doctests and the stored outputs of every chapter (pytest, two side by side)"
chapters=$(ls book/[0-9][0-9]_*.ipynb 2>/dev/null)
# shellcheck disable=SC2086  # the options are words, the chapters have no spaces
"$run" -m pytest -q $pytest $side_by_side lib tests $chapters || failed="$failed pytest,"
finish "make test"

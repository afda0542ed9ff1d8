#!/bin/sh
# What a change of text or code can break, and with --exhaustive the rest; other
# arguments go to pytest, which then runs what they name. All steps run, also after one
# has failed; the last line says what happened.
cd "$(dirname "$0")/../../.." || exit 1
run=${BIN:-.venv/bin}/python
start=$(date +%s)
failed=""

tests() { # [ARGUMENT…] of pytest
    "$run" -m pytest -q -p no:cacheprovider -p tests.solutions_run --doctest-modules \
        --nbval --nbval-cell-timeout 600 --nbval-kernel-startup-timeout 120 "$@"
}

side_by_side() {
    tests -n "${WORKERS:-2}" --dist loadscope --no-loadscope-reorder "$@" ||
        failed="$failed pytest,"
}

finish() { # the name of what ran: say how it ended
    took=$(($(date +%s) - start))
    [ -z "$failed" ] || {
        echo "$1: FAILED in ${failed# } after $took s; what failed stands above."
        exit 1
    }
    echo "$1: everything passed in $took s."
    exit 0
}

step() { # NAME LOG COMMAND [ARGUMENT…]
    sh book/tools/project/step.sh "$@" || failed="$failed $2,"
}

if [ $# -gt 0 ] && [ "$1" != --exhaustive ]; then
    tests "$@"
    exit
fi

git ls-files >/dev/null 2>&1 || {
    echo "The tests ask git which files are the book's: install git, and clone the book instead of unpacking it." >&2
    exit 1
}
sh book/tools/project/setup.sh browser || exit 1
if [ "${1:-}" = --exhaustive ]; then
    side_by_side -m exhaustive tests
    "$run" -m book.tools.notebooks.portable || failed="$failed portable,"
    # Gigabytes of Colab's own versions: where they cannot be had, that is said.
    COLAB_OPTIONAL=1 "$run" -m book.tools.notebooks.colab || failed="$failed colab,"
    finish "make exhaustive"
fi

# One core builds the site while the others look at the code and run the chapters; the
# tests of the site come after those, and wait for it.
"$run" -m book.tools.site.build_site >.cache/logs/built.log 2>&1 &
site=$!
step "Layout (ruff format)" format "$run" -m ruff format --check .
step "Mistakes (ruff check)" ruff "$run" -m ruff check .
step "Types (mypy)" mypy "$run" -m mypy
step "Order of the modules (import-linter)" imports \
    "${run%/*}/lint-imports" --no-logo --cache-dir .cache/import-linter
echo "Tests, doctests and the stored outputs of every chapter (pytest, two side by side)"
# shellcheck disable=SC2046  # the notebooks have no spaces
side_by_side --ignore tests/exhaustive -m "not exhaustive" \
    lib tests $(ls book/*.ipynb)
wait "$site" || failed="$failed site,"
cat .cache/logs/built.log
finish "make test"

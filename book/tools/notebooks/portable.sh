#!/bin/sh
# The stored outputs of every chapter, compared three times more: on the code that any
# processor of this family runs, on the code for AVX2, and with every weight and every
# random number moved by a millionth. Arguments name chapters; without, all are run.
# The last line says what happened. All runs are made, also after one has failed.
cd "$(dirname "$0")/../../.." || exit 1
run=${BIN:-.venv/bin}/python
start=$(date +%s)
failed=""
skipped=""
# The later chapters train, and take longest: begun first, they leave no core alone.
[ $# -gt 0 ] || set -- $(ls -r book/[0-9][0-9]_*.ipynb)

compare() { # [OPTION…] -- CHAPTER…
    "$run" -m pytest -q -p no:cacheprovider --nbval \
        --nbval-sanitize-with tests/nbval.cfg --nbval-cell-timeout 900 \
        --nbval-kernel-startup-timeout 300 \
        -n "${WORKERS:-2}" --dist loadscope --no-loadscope-reorder "$@"
}

for path in generic avx2; do
    if settings=$("$run" -m book.tools.notebooks.code_paths "$path"); then
        echo "Chapters on the code path $path:" $settings
        (
            for setting in $settings; do export "${setting?}"; done
            compare "$@"
        ) || failed="$failed $path,"
    else
        echo "The code path $path is left out (why stands above)."
        skipped="$skipped $path,"
    fi
done

echo "Chapters with weights and random numbers moved by a millionth"
JUPYTER_PATH=$PWD/tests compare -p tests.shaken_run --nbval-kernel-name shaken "$@" ||
    failed="$failed shaken,"

took=$(($(date +%s) - start))
[ -z "$skipped" ] || skipped=" (not on this processor:${skipped%,})"
if [ -n "$failed" ]; then
    echo "make portable: FAILED in ${failed# } after $took s$skipped; what failed stands above."
    exit 1
fi
echo "make portable: every chapter held in $took s$skipped."

#!/bin/sh
# Run one step quietly: its name on one line, its full output in a log, and the end of
# that log only if it fails.      step.sh NAME LOG COMMAND [ARGUMENT…]
name=$1
log=.cache/logs/$2.log
shift 2
mkdir -p .cache/logs
printf '%s … ' "$name"
start=$(date +%s)
if "$@" >"$log" 2>&1; then
    echo "done ($(($(date +%s) - start)) s)"
else
    status=$?
    echo "FAILED"
    tail -n 40 "$log"
    echo "The whole log is in $log."
    exit "$status"
fi

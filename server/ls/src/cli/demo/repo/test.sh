#!/bin/sh
# Tests total.sh.
list=$(mktemp) || exit 1
printf '# apples\n20\n\n# pears\n22\n' > "$list"
got=$(sh total.sh "$list" 2>&1)
rm -f "$list"
if [ "$got" = 42 ]; then
  echo "ok: the total is 42"
else
  echo "FAILED: the total should be 42, but total.sh said: $got"
  exit 1
fi

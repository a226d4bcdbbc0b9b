# Counts tests in the output of ctest --verbose: prints "passed failed skipped".
#
# A program that prints cmocka's lines counts with each of its tests, any other as one. A program
# that ctest calls failed counts at least one failure, so that a crash is never lost. A program that
# ctest was to run and says nothing of counts as a failure: then ctest itself was ended before its time.
# cmocka lists failed and skipped tests again at the end, hence the sets by name.
function reported(id) { return ok[id] + bad[id] + left[id] }

match($0, /^ *[0-9]+: /) {
  id = $1 + 0
  line = substr($0, RLENGTH + 1)
  name = line
  sub(/^\[[^]]*\] /, "", name)
  if (line ~ /^\[ +OK \] /) ++ok[id]
  else if (line ~ /test\(s\), listed below/) next
  else if (line ~ /^\[  FAILED  \] / && !seen[id, name]++) ++bad[id]
  else if (line ~ /^\[  SKIPPED \] / && !seen[id, name]++) ++left[id]
}

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  split($1, place, "/")
  wanted = place[2]
  ++ended
  id = $0
  sub(/^[^#]*#/, "", id)
  id += 0
  if (/ Passed +[0-9.]+ sec/) { if (!reported(id)) ok[id] = 1 }
  else if (/\*\*\*Skipped/) { if (!reported(id)) left[id] = 1 }
  else if (!bad[id]) bad[id] = 1
  passed += ok[id]
  failed += bad[id]
  skipped += left[id]
}

END { print passed + 0, failed + wanted - ended, skipped + 0 }

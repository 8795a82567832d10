# A tree of files with all kinds of names and sizes in $WORK/tree, and what shall fail: sourced by the scripts.
make_tree() {
  mkdir -p "$WORK/tree/deep/er" "$WORK/tree/with space"
  printf 'hello\n' >"$WORK/tree/a.txt"
  : >"$WORK/tree/empty"
  head -c 100000 /dev/urandom >"$WORK/tree/deep/100k.bin"
  head -c 20000000 /dev/urandom >"$WORK/tree/deep/er/20m.bin"
  printf 'x' >"$WORK/tree/with space/plus+and&percent%.txt"
  printf 'ü' >"$WORK/tree/üñí.txt"
}

# Ends the script when the command succeeds, which `!` in front of it would not.
refused() {
  if "$@" >/dev/null 2>&1; then
    echo "went through: $*"
    return 1
  fi
}

# The same for what readers see a little later: within 10 s.
soon_refused() {
  for _ in $(seq 50); do
    if refused "$@" >/dev/null; then return; fi
    sleep 0.2
  done
  refused "$@"
}

# A tree of files with all kinds of names and sizes in $WORK/tree: sourced by the scripts.
make_tree() {
  mkdir -p "$WORK/tree/deep/er" "$WORK/tree/with space"
  printf 'hello\n' >"$WORK/tree/a.txt"
  : >"$WORK/tree/empty"
  head -c 100000 /dev/urandom >"$WORK/tree/deep/100k.bin"
  head -c 20000000 /dev/urandom >"$WORK/tree/deep/er/20m.bin"
  printf 'x' >"$WORK/tree/with space/plus+and&percent%.txt"
  printf 'ü' >"$WORK/tree/üñí.txt"
}

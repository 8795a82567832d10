# What the scripts share, which source it. First, a tree of files with all kinds of names and sizes
# in $WORK/tree.
make_tree() {
  mkdir -p "$WORK/tree/deep/er" "$WORK/tree/with space"
  printf 'hello\n' >"$WORK/tree/a.txt"
  : >"$WORK/tree/empty"
  head -c 100000 /dev/urandom >"$WORK/tree/deep/100k.bin"
  head -c 20000000 /dev/urandom >"$WORK/tree/deep/er/20m.bin"
  printf 'x' >"$WORK/tree/with space/plus+and&percent%.txt"
  printf 'ü' >"$WORK/tree/üñí.txt"
}

# Makes the bucket, for tools that make none themselves.
make_bucket() {
  curl -fsS -H x-amz-content-sha256:UNSIGNED-PAYLOAD --aws-sigv4 aws:amz:us-east-1:s3 \
    -u "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -X PUT "$ENDPOINT/$BUCKET"
}

# Runs the command again until it succeeds, for 20 s.
until_done() {
  for _ in $(seq 100); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.2
  done
  "$@"
}

# Go in the user's home, where it has its modules and goes on writing after it has ended.
home_go() { HOME=$USER_HOME go "$@"; }

# The version of a program that `go install` built, which often does not know its own.
built_version() {
  home_go version -m "$(command -v "$1")" |
    sed -n 's/^\tmod\t[^\t]*\t\([^\t]*\).*/\1/p' || echo unknown
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

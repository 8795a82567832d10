# rclone: copy, check, sync, server-side copy and move, multipart, directory listings, encryption, removal.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
export RCLONE_CONFIG_Q_TYPE=s3 RCLONE_CONFIG_Q_PROVIDER=Other RCLONE_CONFIG_Q_ENV_AUTH=true
export RCLONE_CONFIG_Q_ENDPOINT=$ENDPOINT RCLONE_CONFIG_Q_REGION=us-east-1
r() { rclone --config /dev/null --s3-upload-cutoff 6M --s3-chunk-size 5M --retries 1 "$@" 2>&1; }

r mkdir "q:$BUCKET"
r lsd q: | grep "$BUCKET" >/dev/null
r copy tree "q:$BUCKET/tree"
r check --download tree "q:$BUCKET/tree" | grep '0 differences' >/dev/null
r check tree "q:$BUCKET/tree" | grep '0 differences' >/dev/null
printf 'changed' >tree/a.txt
rm tree/empty
r sync tree "q:$BUCKET/tree"
r check tree "q:$BUCKET/tree" | grep '0 differences' >/dev/null
r copy "q:$BUCKET/tree" "q:$BUCKET/second"
r check --download "q:$BUCKET/tree" "q:$BUCKET/second" | grep '0 differences' >/dev/null
r moveto "q:$BUCKET/second/a.txt" "q:$BUCKET/second/b.txt"
test "$(r cat "q:$BUCKET/second/b.txt")" = changed
r copyto "q:$BUCKET/tree/deep/er/20m.bin" "q:$BUCKET/copied.bin"
test "$(r lsf "q:$BUCKET/tree/with space")" = 'plus+and&percent%.txt'
r copy "q:$BUCKET/tree" back
diff -r tree back
test "$(r size --json "q:$BUCKET/tree" | grep -o '"count":[0-9]*')" = '"count":5'
r touch "q:$BUCKET/tree/a.txt"
r link "q:$BUCKET/tree/a.txt" >link.txt
test "$(curl -fsS "$(tail -1 link.txt)")" = changed
r copy tree "q:$BUCKET/server" --s3-server-side-encryption AES256
r check --download tree "q:$BUCKET/server" | grep '0 differences' >/dev/null
r purge "q:$BUCKET"
rclone version | sed -n 1p

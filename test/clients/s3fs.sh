# s3fs: a mounted bucket, written, read, listed, renamed and removed as files.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
if [ ! -w /dev/fuse ]; then
  echo 'skipped: /dev/fuse can not be opened here'
  exit 0
fi
make_bucket
printf '%s:%s' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" >passwd
chmod 600 passwd
mkdir mount
s3fs "$BUCKET" mount -o passwd_file="$WORK/passwd" -o url="$ENDPOINT" -o use_path_request_style -o multipart_size=5
trap 'fusermount -u "$WORK/mount" || true' EXIT
mountpoint -q mount
cp -r tree mount/
diff -r tree mount/tree
printf 'more' >>mount/tree/a.txt
test "$(cat mount/tree/a.txt)" = $'hello\nmore'
mv mount/tree/a.txt mount/tree/b.txt
test ! -e mount/tree/a.txt
test "$(ls mount/tree/deep)" = $'100k.bin\ner'
rm -r mount/tree
test -z "$(ls mount)"
s3fs --version | sed -n 1p

# s5cmd: copies of all sizes, a pipe, sync both ways, server-side copy and move, a presigned URL, a
# batch of commands, removal.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
export S3_ENDPOINT_URL=$ENDPOINT AWS_REGION=us-east-1
s() { s5cmd --log error "$@"; }

s mb "s3://$BUCKET"
s5cmd ls | grep "$BUCKET" >/dev/null
s cp tree/a.txt "s3://$BUCKET/one.txt"
test "$(s5cmd cat "s3://$BUCKET/one.txt")" = hello
s cp --part-size 5 tree/deep/er/20m.bin "s3://$BUCKET/20m.bin"
s cp --part-size 5 --concurrency 4 "s3://$BUCKET/20m.bin" 20m.bin
cmp 20m.bin tree/deep/er/20m.bin
s5cmd pipe "s3://$BUCKET/piped" <tree/deep/100k.bin >/dev/null
s5cmd cat "s3://$BUCKET/piped" | cmp - tree/deep/100k.bin

s sync tree/ "s3://$BUCKET/tree/"
s sync "s3://$BUCKET/tree/*" back/
diff -r tree back
printf 'changed by more' >tree/a.txt
rm tree/empty
s sync --delete tree/ "s3://$BUCKET/tree/"
refused s5cmd head "s3://$BUCKET/tree/empty"
test "$(s5cmd cat "s3://$BUCKET/tree/a.txt")" = 'changed by more'
s cp "s3://$BUCKET/tree/*" "s3://$BUCKET/second/"
s mv "s3://$BUCKET/20m.bin" "s3://$BUCKET/moved.bin"
refused s5cmd head "s3://$BUCKET/20m.bin"
s5cmd du "s3://$BUCKET/second/*" | grep '5 objects' >/dev/null
test "$(curl -fsS "$(s5cmd presign "s3://$BUCKET/one.txt")")" = hello
printf 'cp tree/a.txt s3://%s/batch/1\ncp tree/a.txt s3://%s/batch/2\n' "$BUCKET" "$BUCKET" | s run
test "$(s5cmd ls "s3://$BUCKET/batch/" | wc -l)" = 2
s rm "s3://$BUCKET/*"
s rb "s3://$BUCKET"
version=$(s5cmd version)
[[ $version != v0.0.0* ]] || version=$(built_version s5cmd)
echo "s5cmd $version"

# s3cmd: buckets, put and get, sync both ways, multipart, copy, metadata, ACL, removal.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
s() {
  s3cmd --config /dev/null --no-progress --access_key="$AWS_ACCESS_KEY_ID" --secret_key="$AWS_SECRET_ACCESS_KEY" \
    --host="$HOST" --host-bucket="$HOST" --no-ssl --multipart-chunk-size-mb=5 "$@"
}

s mb "s3://$BUCKET"
s ls | grep "$BUCKET" >/dev/null
s put tree/a.txt "s3://$BUCKET/a.txt" --add-header=x-amz-meta-who:me
s info "s3://$BUCKET/a.txt" | grep 'x-amz-meta-who: *me' >/dev/null
s put tree/deep/er/20m.bin "s3://$BUCKET/20m.bin"
s get "s3://$BUCKET/20m.bin" 20m.bin
cmp 20m.bin tree/deep/er/20m.bin
s sync tree/ "s3://$BUCKET/tree/"
mkdir back && s sync "s3://$BUCKET/tree/" back/
diff -r tree back
s cp "s3://$BUCKET/a.txt" "s3://$BUCKET/copied.txt"
s mv "s3://$BUCKET/copied.txt" "s3://$BUCKET/moved.txt"
s ls "s3://$BUCKET/moved.txt" | grep moved >/dev/null
s setacl --acl-public "s3://$BUCKET/a.txt"
test "$(curl -fsS "$ENDPOINT/$BUCKET/a.txt")" = hello
s setacl --acl-private "s3://$BUCKET/a.txt"
soon_refused curl -fsS "$ENDPOINT/$BUCKET/a.txt"
s du "s3://$BUCKET" >/dev/null
s put tree/deep/er/20m.bin "s3://$BUCKET/sealed" --server-side-encryption
s info "s3://$BUCKET/sealed" | grep 'SSE: *AES256' >/dev/null
s get "s3://$BUCKET/sealed" sealed
cmp sealed tree/deep/er/20m.bin
s del --recursive --force "s3://$BUCKET"
s rb "s3://$BUCKET"
s3cmd --version

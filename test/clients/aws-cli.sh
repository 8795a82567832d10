# aws cli: buckets, copy, sync both ways, multipart, presigned URLs, versions, tags, encryption, removal.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
s3() { aws --endpoint-url "$ENDPOINT" s3 "$@"; }
# The older cli presigns with Signature Version 2 unless told not to.
mkdir -p ~/.aws && printf '[default]\ns3 =\n  signature_version = s3v4\n' >~/.aws/config
api() { aws --endpoint-url "$ENDPOINT" --output text s3api "$@"; }

s3 mb "s3://$BUCKET"
s3 ls | grep "$BUCKET" >/dev/null
s3 cp --quiet tree/a.txt "s3://$BUCKET/one.txt"
test "$(s3 cp --quiet "s3://$BUCKET/one.txt" -)" = hello
printf 'from a pipe' | s3 cp --quiet - "s3://$BUCKET/piped"
test "$(s3 cp --quiet "s3://$BUCKET/piped" -)" = 'from a pipe'

# An empty upload gets no 100 from wrangler dev, and botocore then misreads the next answer on that connection
# (https://github.com/boto/botocore/issues/3755): it goes alone, until that is mended in Debian's aws cli too.
s3 cp --quiet tree/empty "s3://$BUCKET/tree/empty"
s3 sync --quiet tree "s3://$BUCKET/tree"
test -z "$(s3 sync tree "s3://$BUCKET/tree")"
s3 sync --quiet "s3://$BUCKET/tree" back
diff -r tree back
rm back/a.txt && printf 'new' >back/new.txt
s3 sync --quiet --delete back "s3://$BUCKET/tree"
refused s3 ls "s3://$BUCKET/tree/a.txt"
s3 cp --quiet "s3://$BUCKET/tree/deep/er/20m.bin" "s3://$BUCKET/copied.bin"
s3 mv --quiet "s3://$BUCKET/copied.bin" "s3://$BUCKET/moved.bin"
s3 cp --quiet "s3://$BUCKET/moved.bin" moved.bin
cmp moved.bin tree/deep/er/20m.bin

test "$(curl -fsS "$(s3 presign "s3://$BUCKET/one.txt")")" = hello
api put-object-tagging --bucket "$BUCKET" --key one.txt --tagging 'TagSet=[{Key=colour,Value=blue}]'
test "$(api get-object-tagging --bucket "$BUCKET" --key one.txt --query 'TagSet[0].Value')" = blue
api put-bucket-versioning --bucket "$BUCKET" --versioning-configuration Status=Enabled
first=$(api put-object --bucket "$BUCKET" --key v --body tree/a.txt --query VersionId)
api put-object --bucket "$BUCKET" --key v --body tree/üñí.txt >/dev/null
api delete-object --bucket "$BUCKET" --key v >/dev/null
api get-object --bucket "$BUCKET" --key v --version-id "$first" v.txt >/dev/null
cmp v.txt tree/a.txt
test "$(api list-object-versions --bucket "$BUCKET" --prefix v --query 'length(Versions)')" = 2

api put-bucket-versioning --bucket "$BUCKET" --versioning-configuration Status=Suspended
head -c 32 /dev/urandom >key.bin
own=(--sse-c AES256 --sse-c-key fileb://key.bin)
for name in a.txt deep/er/20m.bin; do
  s3 cp --quiet "tree/$name" "s3://$BUCKET/own/$name" "${own[@]}"
  s3 cp --quiet "s3://$BUCKET/own/$name" out "${own[@]}"
  cmp out "tree/$name"
done
refused s3 cp --quiet "s3://$BUCKET/own/a.txt" out
s3 cp --quiet "s3://$BUCKET/own/deep/er/20m.bin" "s3://$BUCKET/sealed.bin" --sse aws:kms \
  --sse-c-copy-source AES256 --sse-c-copy-source-key fileb://key.bin
test "$(api head-object --bucket "$BUCKET" --key sealed.bin --query SSEKMSKeyId)" = alias/aws/s3
s3 cp --quiet "s3://$BUCKET/sealed.bin" out
cmp out tree/deep/er/20m.bin
api put-bucket-encryption --bucket "$BUCKET" --server-side-encryption-configuration \
  '{"Rules":[{"ApplyServerSideEncryptionByDefault":{"SSEAlgorithm":"AES256"}}]}'
s3 cp --quiet tree/a.txt "s3://$BUCKET/by-default"
test "$(api head-object --bucket "$BUCKET" --key by-default --query ServerSideEncryption)" = AES256
api delete-bucket-encryption --bucket "$BUCKET"

api list-object-versions --bucket "$BUCKET" --query '[Versions,DeleteMarkers][][].[Key,VersionId]' |
  while IFS=$'\t' read -r key version; do
    [ "$key" = None ] || api delete-object --bucket "$BUCKET" --key "$key" --version-id "$version" >/dev/null
  done
s3 rb "s3://$BUCKET"
aws --version

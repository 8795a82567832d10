# Downloads over a line that breaks every few megabytes, by clients that go on where they were; and one whose object is
# overwritten meanwhile. In the end every file is the object, whole. Programs that are not here are left out, and named.
set -euo pipefail
head -c 40000000 /dev/urandom >first
head -c 40000000 /dev/urandom >second
S3=(curl -sSf --aws-sigv4 aws:amz:auto:s3 --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H x-amz-content-sha256:UNSIGNED-PAYLOAD)
"${S3[@]}" -X PUT "$ENDPOINT/$BUCKET"
policy='{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::'$BUCKET'/*"}]}'
"${S3[@]}" -X PUT -d "$policy" "$ENDPOINT/$BUCKET?policy="
"${S3[@]}" -T first "$ENDPOINT/$BUCKET/file"

"$NODE" "$CLIENTS/cutting-proxy.ts" "$ENDPOINT" 6000000 >asked &
trap 'kill $!' EXIT
until [[ -s asked ]]; do sleep 0.1; done
LINE=http://127.0.0.1:$(head -1 asked)

# Again and again, until the command is content: not before the third time, for the line breaks, and not for ever.
until_whole() {
  local breaks=0
  until "$@" 2>/dev/null; do
    breaks=$((breaks + 1))
    ((breaks < 30))
  done
  ((breaks > 3))
}
asked_for_ranges() { (($(grep -c '^bytes=' asked) > $1)); }
used=() missing=()
# Whether there is such a program; notes either.
have() {
  if command -v "$1" >/dev/null; then used+=("$1"); else
    missing+=("$1")
    return 1
  fi
}

used+=("$(curl --version | head -1 | cut -d' ' -f1-2)")
until_whole curl -sf -C - -o got "$LINE/$BUCKET/file"
cmp got first
asked_for_ranges 3

if have wget; then
  until_whole wget -q -c --tries=1 -O by-wget "$LINE/$BUCKET/file"
  cmp by-wget first
fi
if have aws; then
  # It asks for a part again from its beginning, so a part must fit into a connection: the first one on each does.
  aws configure set default.s3.multipart_chunksize 5MB
  aws --endpoint-url "$LINE" s3 cp --no-progress --quiet "s3://$BUCKET/file" by-aws
  cmp by-aws first
fi
if have rclone; then
  before=$(wc -l <asked)
  rclone --config /dev/null copyto --s3-provider Other --s3-access-key-id "$AWS_ACCESS_KEY_ID" \
    --s3-secret-access-key "$AWS_SECRET_ACCESS_KEY" --s3-endpoint "$LINE" --low-level-retries 30 ":s3:$BUCKET/file" by-rclone
  cmp by-rclone first
  asked_for_ranges $((before + 1))
fi

# Overwritten between two parts. With a condition the versions never mix: curl gets all of the new one, which it refuses to
# append, or a refusal.
etag=$(curl -sSfI "$ENDPOINT/$BUCKET/file" | tr -d '\r' | sed -n 's/^etag: //Ip')
curl -sf -o mixed "$LINE/$BUCKET/file" && exit 1
size=$(wc -c <mixed)
"${S3[@]}" -T second "$ENDPOINT/$BUCKET/file"
status() { curl -sS -o /dev/null -w '%{http_code}' "$@"; }
for _ in $(seq 100); do
  [[ $(status -H "If-Match: $etag" "$ENDPOINT/$BUCKET/file") == 412 ]] && break
  sleep 0.2
done
for condition in "If-Range: $etag" "If-Match: $etag"; do
  curl -sf -C - -H "$condition" -o mixed "$ENDPOINT/$BUCKET/file" && exit 1
  [[ $(wc -c <mixed) == "$size" ]]
done
[[ $(status -C "$size" -H "If-Range: $etag" "$ENDPOINT/$BUCKET/file") == 200 ]]
rm mixed
curl -sSf -o mixed "$ENDPOINT/$BUCKET/file"
cmp mixed second

IFS=,
echo "${used[*]}${missing:+; skipped, not on this machine: ${missing[*]}}"

# distribution, the registry of container images: an image pushed by its HTTP API in chunks, pulled,
# tagged, listed, deleted and collected.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
make_bucket
PORT=$("$NODE" -e "
  const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
    console.log(server.address().port);
    server.close();
  });")
cat >registry.yml <<YAML
version: 0.1
log: { level: error }
storage:
  s3:
    region: us-east-1
    regionendpoint: $ENDPOINT
    forcepathstyle: true
    secure: false
    bucket: $BUCKET
    accesskey: $AWS_ACCESS_KEY_ID
    secretkey: $AWS_SECRET_ACCESS_KEY
    chunksize: 5242880
  delete: { enabled: true }
  redirect: { disable: false }
http: { addr: "127.0.0.1:$PORT" }
YAML
# It tells of each run to somewhere unless it is told not to.
export OTEL_TRACES_EXPORTER=none
registry serve registry.yml >log 2>&1 &
trap 'kill %1 2>/dev/null || true' EXIT
V2=http://127.0.0.1:$PORT/v2
until_done curl -fsS "$V2/" || { tail -5 log; exit 1; }

digest() { printf 'sha256:%s' "$(sha256sum "$1" | cut -d' ' -f1)"; }
location() { tr -d '\r' | sed -n 's/^location: //Ip' | sed "s,^/,http://127.0.0.1:$PORT/,"; }
# In chunks: each PATCH goes on with an upload in parts.
push_blob() {
  local file=$1 at
  at=$(curl -fsS -D - -o /dev/null -X POST "$V2/work/day/blobs/uploads/" | location)
  split -b 7000000 "$file" chunk.
  for chunk in chunk.*; do
    at=$(curl -fsS -D - -o /dev/null -X PATCH -H 'content-type: application/octet-stream' \
      -T "$chunk" "$at" | location)
  done
  rm chunk.*
  curl -fsS -X PUT "$at&digest=$(digest "$file")"
}
push_blob tree/deep/er/20m.bin
push_blob tree/deep/100k.bin
printf '{}' >config.json
push_blob config.json

oci=application/vnd.oci.image
layer=$oci.layer.v1.tar
cat >manifest.json <<JSON
{"schemaVersion":2,"mediaType":"$oci.manifest.v1+json",
"config":{"mediaType":"$oci.config.v1+json","size":2,"digest":"$(digest config.json)"},
"layers":[
 {"mediaType":"$layer","size":20000000,"digest":"$(digest tree/deep/er/20m.bin)"},
 {"mediaType":"$layer","size":100000,"digest":"$(digest tree/deep/100k.bin)"}]}
JSON
for tag in one two; do
  curl -fsS -X PUT -H "content-type: $oci.manifest.v1+json" --data-binary @manifest.json \
    "$V2/work/day/manifests/$tag"
done
curl -fsS -H "accept: $oci.manifest.v1+json" "$V2/work/day/manifests/two" | cmp - manifest.json
curl -fsS "$V2/work/day/tags/list" | grep '"one","two"' >/dev/null
# A redirect to a presigned URL.
curl -fsS -o /dev/null -D - "$V2/work/day/blobs/$(digest tree/deep/100k.bin)" |
  grep -i '^location:.*X-Amz-Signature' >/dev/null
curl -fsSL "$V2/work/day/blobs/$(digest tree/deep/er/20m.bin)" | cmp - tree/deep/er/20m.bin

curl -fsS -X DELETE "$V2/work/day/manifests/$(digest manifest.json)"
registry garbage-collect --delete-untagged registry.yml >>log 2>&1
refused curl -fsS "$V2/work/day/manifests/one"
registry --version

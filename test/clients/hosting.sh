# The first minute of docs/hosting.md, as it stands there, with curl and aws cli.
set -euo pipefail
block=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$DOCS/hosting.md")
[[ $block == *'/about'* ]]
# What is the reader's own: the address, the name of the bucket, and what stands in the folder.
block=${block//http:\/\/127.0.0.1:9000/$ENDPOINT}
block=${block//s3:::shop/s3:::$BUCKET}
block=${block//s3:\/\/shop/s3://$BUCKET}
block=${block//QS\/shop/QS/$BUCKET}
block=${block//www.shop.example/www.$BUCKET.example}
export AWS_ENDPOINT_URL=$ENDPOINT
# Older versions of the aws cli do not know that variable.
aws() { command aws --endpoint-url "$ENDPOINT" "$@"; }
mkdir dist
printf '<h1>Home</h1>' >dist/index.html
printf '<h1>About</h1>' >dist/about.html
shown=$(eval "$block")
[[ $shown == *'<h1>About</h1>' ]] || {
  echo "$shown"
  exit 1
}
curl --version | head -1 | cut -d' ' -f1-2

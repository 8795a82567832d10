# The SDK in Deno: sdk-day.mjs over the client that `npm run build` makes.
set -euo pipefail
"$NODE" "$CLIENTS/../../scripts/build.ts" >/dev/null
cp -r "$CLIENTS/../../dist/client" client
cp "$CLIENTS/sdk-day.mjs" .
DENO_NO_UPDATE_CHECK=1 deno run --no-remote --no-npm --allow-net="$HOST" --allow-env sdk-day.mjs
deno --version | head -1

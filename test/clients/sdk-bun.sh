# The SDK in Bun: sdk-day.mjs over the client that `npm run build` makes.
set -euo pipefail
"$NODE" "$CLIENTS/../../scripts/build.ts" >/dev/null
cp -r "$CLIENTS/../../dist/client" client
cp "$CLIENTS/sdk-day.mjs" .
bun run sdk-day.mjs
echo "bun $(bun --version)"

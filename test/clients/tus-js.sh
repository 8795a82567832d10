# tus-js-client sends files to a drop link: whole, over a line that breaks five times, continued by
# another client, with a wrong offset, given up, too large, and to a link that has ended meanwhile.
# TUS_JS_FOLDER names the folder where `npm install tus-js-client` was done.
set -euo pipefail
if [ ! -d "$TUS_JS_FOLDER/node_modules/tus-js-client" ]; then
  echo 'skipped: TUS_JS_FOLDER names no folder with tus-js-client'
  exit 0
fi
"$NODE" "$CLIENTS/tus-js-day.mjs"

# litestream: a SQLite database replicated while it is written, restored meanwhile, and both again
# after a restart.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_bucket
cat >litestream.yml <<YAML
dbs:
  - path: $WORK/app.db
    replica:
      type: s3
      bucket: $BUCKET
      path: app
      endpoint: $ENDPOINT
      region: us-east-1
      force-path-style: true
      sync-interval: 100ms
YAML

# SQL by the Node that the suite runs on.
add_rows() {
  "$NODE" --no-warnings - "$WORK/app.db" <<'JS'
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(process.argv[2]);
db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS line (words TEXT)');
const insert = db.prepare('INSERT INTO line VALUES (?)');
for (let row = 0; row < 200; row += 1) insert.run('x'.repeat(1000));
db.close();
JS
}
count_rows() {
  "$NODE" --no-warnings - "$1" <<'JS'
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(process.argv[2]);
console.log(db.prepare('SELECT count(*) AS rows FROM line').get().rows);
JS
}
restored_has() {
  rm -f back.db*
  litestream restore -config litestream.yml -o back.db "$WORK/app.db"
  test "$(count_rows back.db)" = "$1"
}

for rows in 200 400; do
  litestream replicate -config litestream.yml >>log 2>&1 &
  pid=$!
  trap 'tail -5 log; kill $pid || true' EXIT
  add_rows
  until_done restored_has "$rows"
  kill -INT $pid
  wait $pid
  trap - EXIT
done
litestream version

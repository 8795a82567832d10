# restic: a repository, two backups, check with all data, restore, forget and prune.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
export RESTIC_REPOSITORY="s3:$ENDPOINT/$BUCKET/repo" RESTIC_PASSWORD=only-for-this-test RESTIC_CACHE_DIR="$WORK/cache"

restic -q init
restic -q backup tree
printf 'second' >tree/second.txt
restic -q backup tree
restic -q check --read-data
restic -q restore latest --target back
diff -r tree "back/tree" 2>/dev/null || diff -r tree "back$WORK/tree"
test "$(restic -q snapshots --json | grep -o '"short_id"' | wc -l)" = 2
restic -q forget --keep-last 1 --prune
restic -q check
restic version

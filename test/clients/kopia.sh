# kopia: a repository, two snapshots, verification of all bytes, a new connection, a restore, and
# maintenance.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
make_tree
export KOPIA_PASSWORD=only-for-this-test KOPIA_CONFIG_PATH="$WORK/kopia.config"
export KOPIA_CACHE_DIRECTORY="$WORK/cache" KOPIA_LOG_DIR="$WORK/log" KOPIA_CHECK_FOR_UPDATES=false
k() { kopia --no-progress --log-level=error "$@"; }
make_bucket
there=(s3 --bucket="$BUCKET" --endpoint="$HOST" --disable-tls --region=us-east-1)

k repository create "${there[@]}"
k snapshot create tree
printf 'second' >tree/second.txt
k snapshot create tree
k snapshot verify --verify-files-percent=100
test "$(k snapshot list --json tree | grep -o '"startTime"' | wc -l)" = 2
k repository disconnect
k repository connect "${there[@]}"
latest=$(k snapshot list --json tree | grep -o '"obj":"[^"]*"' | tail -1 | cut -d'"' -f4)
k snapshot restore "$latest" back
diff -r tree back
k maintenance run --full --safety=none
k snapshot verify --verify-files-percent=100
kopia --version

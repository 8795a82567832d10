# minio-go: the program in minio-go/, built with the modules that Go has on this machine.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
# It may download nothing.
build() {
  cd "$CLIENTS/minio-go"
  GOFLAGS=-mod=readonly GOPROXY=off home_go build -o "$WORK/day" .
}
if ! (build) 2>err; then
  grep -qE 'GOPROXY=off|requires go >=' err || { cat err; exit 1; }
  echo 'skipped: go has no minio-go, or is too old for it'
  exit 0
fi
head -c 20000000 /dev/urandom >big.bin
./day big.bin
home_go version -m day | sed -n 's,.*minio/\(minio-go\)/v7[[:space:]]*v\([0-9.]*\).*,\1 \2,p'

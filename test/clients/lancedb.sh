# lancedb: a table of vectors written, appended by four writers at once, searched, indexed, changed,
# read at its versions, compacted and dropped.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
if ! python3 -c 'import lancedb, pyarrow' 2>/dev/null; then
  echo 'skipped: python3 has no lancedb'
  exit 0
fi
make_bucket
python3 - <<'PYTHON'
import os
from concurrent.futures import ThreadPoolExecutor
import lancedb

options = {'endpoint': os.environ['ENDPOINT'], 'allow_http': 'true', 'region': 'us-east-1'}
def connect():
    return lancedb.connect(f's3://{os.environ["BUCKET"]}/lance', storage_options=options)
def rows(start, count):
    def row(n):
        vector = [float(n % 97), float(n % 89), float(n), 1.0]
        return {'id': n, 'words': f'row {n}', 'vector': vector}
    return [row(n) for n in range(start, start + count)]

table = connect().create_table('day', rows(0, 2_000))
first = table.version
table.add(rows(2_000, 10))
def append(start):
    connect().open_table('day').add(rows(start, 10))
with ThreadPoolExecutor(4) as pool:
    list(pool.map(append, [3_000 + 10 * n for n in range(8)]))
table = connect().open_table('day')
assert table.count_rows() == 2_090, table.count_rows()
nearest = table.search(rows(777, 1)[0]['vector']).limit(1).to_list()
assert nearest[0]['id'] == 777, nearest
table.create_scalar_index('id')
table.create_index(metric='l2', num_partitions=4, num_sub_vectors=2)
assert len(table.search(rows(777, 1)[0]['vector']).limit(5).to_list()) == 5
table.delete('id < 1000')
table.update(where='id = 1999', values={'words': 'new'})
assert table.count_rows() == 1_090
assert table.search().where("words = 'new'").to_list()[0]['id'] == 1999
table.checkout(first)
assert table.count_rows() == 2_000
table.checkout_latest()
table.optimize()
assert connect().open_table('day').count_rows() == 1_090
connect().drop_table('day')
assert list(connect().list_tables().tables) == []
print('lancedb', lancedb.__version__)
PYTHON

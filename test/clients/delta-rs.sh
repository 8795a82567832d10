# delta-rs: a table written, appended by four writers at once, changed, merged, read at two
# versions, checkpointed, compacted and cleaned of old files.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
if ! python3 -c 'import deltalake, pyarrow' 2>/dev/null; then
  echo 'skipped: python3 has no deltalake or no pyarrow'
  exit 0
fi
make_bucket
python3 - <<'PYTHON'
import os
from concurrent.futures import ThreadPoolExecutor
import deltalake, pyarrow
from deltalake import DeltaTable, write_deltalake

where = f's3://{os.environ["BUCKET"]}/tables/day'
# No lock elsewhere: a commit is a PUT with If-None-Match.
options = {
    'AWS_ENDPOINT_URL': os.environ['ENDPOINT'],
    'AWS_ALLOW_HTTP': 'true',
    'AWS_REGION': 'us-east-1',
    'aws_conditional_put': 'etag',
}
def rows(start, count):
    ids = pyarrow.array(range(start, start + count), pyarrow.int64())
    words = pyarrow.array([f'row {n}' for n in range(start, start + count)])
    return pyarrow.table({'id': ids, 'words': words})
def table(version=None):
    return DeltaTable(where, version=version, storage_options=options)
def ids(version=None):
    return sorted(table(version).to_pyarrow_table()['id'].to_pylist())

write_deltalake(where, rows(0, 100_000), storage_options=options)
write_deltalake(where, rows(100_000, 10), mode='append', storage_options=options)
assert ids() == list(range(100_010)) and ids(0) == list(range(100_000))
def append(start):
    write_deltalake(where, rows(start, 10), mode='append', storage_options=options)
with ThreadPoolExecutor(4) as pool:
    list(pool.map(append, [200_000 + 10 * n for n in range(8)]))
assert table().version() == 9 and len(ids()) == 100_090, (table().version(), len(ids()))
table().delete('id < 99990')
table().update(updates={'words': "'new'"}, predicate='id = 99999')
merge = table().merge(rows(100_005, 10), 't.id = s.id', source_alias='s', target_alias='t')
merge.when_matched_update_all().when_not_matched_insert_all().execute()
assert ids()[:25] == list(range(99_990, 100_015)), ids()[:25]
assert 'new' in table().to_pyarrow_table()['words'].to_pylist()
table().create_checkpoint()
table().optimize.compact()
before = ids()
removed = table().vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
assert len(removed) > 5, removed
assert ids() == before and len(before) == 105, len(before)
print('delta-rs', deltalake.__version__, flush=True)
# The threads of its libraries abort the interpreter now and then where it ends by itself.
os._exit(0)
PYTHON

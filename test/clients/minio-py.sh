# minio-py: puts of all sizes and of unknown length, ranges, lists, server-side copy and join, URLs,
# a form, versions.
set -euo pipefail
if ! python3 -c 'import minio' 2>/dev/null; then
  echo 'skipped: python3 has no minio'
  exit 0
fi
head -c 20000000 /dev/urandom >big.bin
python3 - <<'PYTHON'
import io, os, urllib.request
from datetime import datetime, timedelta, timezone
import minio
from minio import Minio
from minio.commonconfig import ComposeSource, CopySource, Tags
from minio.datatypes import PostPolicy
from minio.deleteobjects import DeleteObject
from minio.error import S3Error
from minio.versioningconfig import ENABLED, VersioningConfig

bucket = os.environ['BUCKET']
keys = {
    'access_key': os.environ['AWS_ACCESS_KEY_ID'],
    'secret_key': os.environ['AWS_SECRET_ACCESS_KEY'],
}
s3 = Minio(os.environ['HOST'], **keys, secure=False)
big = open('big.bin', 'rb').read()
def read(key, **more):
    answer = s3.get_object(bucket_name=bucket, object_name=key, **more)
    try:
        return answer.read()
    finally:
        answer.close()
        answer.release_conn()

s3.make_bucket(bucket_name=bucket)
assert s3.bucket_exists(bucket_name=bucket)
assert bucket in [entry.name for entry in s3.list_buckets()]
def put(key, body, **more):
    more = {'length': len(body), **more}
    return s3.put_object(bucket_name=bucket, object_name=key, data=io.BytesIO(body), **more)

put('small', b'hello', metadata={'who': 'me'})
put('empty', b'')
put('stream', big, length=-1, part_size=5 << 20)
file = {'file_path': 'big.bin', 'part_size': 5 << 20}
s3.fput_object(bucket_name=bucket, object_name='ü/big +&%', **file)
s3.fget_object(bucket_name=bucket, object_name='ü/big +&%', file_path='back.bin')
assert open('back.bin', 'rb').read() == big and read('stream') == big and read('empty') == b''
assert read('stream', offset=7, length=9) == big[7:16]
stat = s3.stat_object(bucket_name=bucket, object_name='small')
assert (stat.size, stat.metadata['x-amz-meta-who']) == (5, 'me'), stat

small = CopySource(bucket_name=bucket, object_name='small')
s3.copy_object(bucket_name=bucket, object_name='copy', source=small)
join = [ComposeSource(bucket_name=bucket, object_name=key) for key in ('stream', 'small')]
s3.compose_object(bucket_name=bucket, object_name='joined', sources=join)
assert read('copy') == b'hello' and read('joined') == big + b'hello'
tags = Tags.new_object_tags()
tags['colour'] = 'blue'
s3.set_object_tags(bucket_name=bucket, object_name='small', tags=tags)
assert s3.get_object_tags(bucket_name=bucket, object_name='small') == {'colour': 'blue'}

url = s3.presigned_get_object(bucket_name=bucket, object_name='small')
assert urllib.request.urlopen(url).read() == b'hello'
url = s3.presigned_put_object(bucket_name=bucket, object_name='by-url')
assert urllib.request.urlopen(urllib.request.Request(url, b'put', method='PUT')).status == 200
policy = PostPolicy(bucket, datetime.now(timezone.utc) + timedelta(hours=1))
policy.add_equals_condition('key', 'by-form')
policy.add_content_length_range_condition(1, 100)
fields = {**s3.presigned_post_policy(policy), 'key': 'by-form'}
part = '--b\r\nContent-Disposition: form-data; name='
form = ''.join(f'{part}"{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
form += f'{part}"file"; filename="f"\r\n\r\nform\r\n--b--\r\n'
head = {'content-type': 'multipart/form-data; boundary=b'}
where = f'{os.environ["ENDPOINT"]}/{bucket}'
urllib.request.urlopen(urllib.request.Request(where, form.encode(), head))
assert read('by-url') == b'put' and read('by-form') == b'form'

s3.set_bucket_versioning(bucket_name=bucket, config=VersioningConfig(ENABLED))
first = put('v', b'1').version_id
put('v', b'2')
s3.remove_object(bucket_name=bucket, object_name='v')
assert read('v', version_id=first) == b'1'
try:
    read('v')
    raise SystemExit('a deleted key was read')
except S3Error as error:
    assert error.code == 'NoSuchKey', error
entries = list(s3.list_objects(bucket_name=bucket, recursive=True, include_version=True))
assert len(entries) == 11, [entry.object_name for entry in entries]
everything = [DeleteObject(entry.object_name, entry.version_id) for entry in entries]
assert list(s3.remove_objects(bucket_name=bucket, delete_object_list=everything)) == []
s3.remove_bucket(bucket_name=bucket)
print('minio-py', minio.__version__)
PYTHON

# boto3: the transfer manager both ways and server-side, pages, presigned URL and form, conditional writes, many deletes.
set -euo pipefail
if ! python3 -c 'import boto3' 2>/dev/null; then
  echo 'skipped: python3 has no boto3'
  exit 0
fi
# Empty uploads get no 100 from wrangler dev: https://github.com/boto/botocore/issues/3755
export BOTO_EXPERIMENTAL__NO_EMPTY_CONTINUE=true
head -c 40000000 /dev/urandom >big.bin
python3 - <<'PYTHON'
import io, os, urllib.parse, urllib.request
import boto3
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import ClientError

bucket = os.environ['BUCKET']
s3 = boto3.client('s3', endpoint_url=os.environ['ENDPOINT'], config=Config(signature_version='s3v4', s3={'addressing_style': 'path'}))
s3.create_bucket(Bucket=bucket)
parts = TransferConfig(multipart_threshold=8 << 20, multipart_chunksize=8 << 20, max_concurrency=6)

s3.upload_file('big.bin', bucket, 'big', Config=parts, ExtraArgs={'Metadata': {'from': 'boto3'}, 'ContentType': 'text/x-big'})
s3.copy({'Bucket': bucket, 'Key': 'big'}, bucket, 'copy', Config=parts)
s3.download_file(bucket, 'copy', 'back.bin', Config=parts)
assert open('back.bin', 'rb').read() == open('big.bin', 'rb').read()
head = s3.head_object(Bucket=bucket, Key='copy')
assert (head['ContentLength'], head['ETag'][-3:]) == (40000000, '-5"'), head
s3.upload_fileobj(io.BytesIO(b''), bucket, 'empty')

for n in range(25):
    s3.put_object(Bucket=bucket, Key=f'page/{n:02}', Body=b'x' * n)
pages = list(s3.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix='page/', PaginationConfig={'PageSize': 10}))
assert [len(page['Contents']) for page in pages] == [10, 10, 5]

try:
    s3.put_object(Bucket=bucket, Key='page/00', Body=b'y', IfNoneMatch='*')
    raise SystemExit('an existing key was written over')
except ClientError as error:
    assert error.response['Error']['Code'] == 'PreconditionFailed', error

url = s3.generate_presigned_url('get_object', Params={'Bucket': bucket, 'Key': 'page/03', 'ResponseContentType': 'text/x-three'})
with urllib.request.urlopen(url) as answer:
    assert (answer.read(), answer.headers['content-type']) == (b'xxx', 'text/x-three')
form = s3.generate_presigned_post(bucket, 'forms/${filename}', Conditions=[['content-length-range', 1, 100]])
fields = ''.join(f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in form['fields'].items())
file = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nform\r\n--b--\r\n'
request = urllib.request.Request(form['url'], (fields + file).encode(), {'content-type': 'multipart/form-data; boundary=b'})
assert urllib.request.urlopen(request).status == 204
assert s3.get_object(Bucket=bucket, Key='forms/f.txt')['Body'].read() == b'form'

keys = [item['Key'] for page in s3.get_paginator('list_objects_v2').paginate(Bucket=bucket) for item in page['Contents']]
assert len(keys) == 29, keys
gone = s3.delete_objects(Bucket=bucket, Delete={'Objects': [{'Key': key} for key in keys]})
assert len(gone['Deleted']) == 29 and 'Errors' not in gone, gone
s3.delete_bucket(Bucket=bucket)
print('boto3', boto3.__version__)
PYTHON

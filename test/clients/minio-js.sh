# minio-js: puts of all sizes and of unknown length, ranges, lists, server-side copy and join, URLs,
# a form, versions.
# MINIO_JS_FOLDER names the folder where `npm install minio` was done.
set -euo pipefail
if [ ! -d "$MINIO_JS_FOLDER/node_modules/minio" ]; then
  echo 'skipped: MINIO_JS_FOLDER names no folder with minio-js'
  exit 0
fi
head -c 20000000 /dev/urandom >big.bin
cat >day.mjs <<'JS'
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

const require = createRequire(`${process.env.MINIO_JS_FOLDER}/day.cjs`);
const minio = require('minio');
const { BUCKET: bucket, HOST } = process.env;
const [endPoint, port] = HOST.split(':');
const s3 = new minio.Client({
  endPoint,
  port: Number(port),
  useSSL: false,
  accessKey: process.env.AWS_ACCESS_KEY_ID,
  secretKey: process.env.AWS_SECRET_ACCESS_KEY,
  partSize: 5 << 20,
});
const big = readFileSync('big.bin');
const read = async (key, options) => buffer(await s3.getObject(bucket, key, options));
const isSame = async (key, expected) => assert.ok((await read(key)).equals(expected), key);

await s3.makeBucket(bucket);
assert.ok(await s3.bucketExists(bucket));
assert.ok((await s3.listBuckets()).some(({ name }) => name === bucket));
await s3.putObject(bucket, 'small', 'hello', undefined, { 'x-amz-meta-who': 'me' });
await s3.putObject(bucket, 'empty', Buffer.alloc(0));
const pieces = [big.subarray(0, 9_000_000), big.subarray(9_000_000)];
await s3.putObject(bucket, 'stream', Readable.from(pieces));
await s3.fPutObject(bucket, 'ü/big +&%', 'big.bin');
await s3.fGetObject(bucket, 'ü/big +&%', 'back.bin');
assert.ok(readFileSync('back.bin').equals(big));
await isSame('stream', big);
await isSame('empty', Buffer.alloc(0));
const part = await buffer(await s3.getPartialObject(bucket, 'stream', 7, 9));
assert.ok(part.equals(big.subarray(7, 16)));
const stat = await s3.statObject(bucket, 'small');
assert.deepEqual([stat.size, stat.metaData.who], [5, 'me']);

await s3.copyObject(bucket, 'copy', `/${bucket}/small`, new minio.CopyConditions());
const source = (Object) => new minio.CopySourceOptions({ Bucket: bucket, Object });
const joined = new minio.CopyDestinationOptions({ Bucket: bucket, Object: 'joined' });
await s3.composeObject(joined, ['stream', 'small'].map(source));
await isSame('copy', Buffer.from('hello'));
await isSame('joined', Buffer.concat([big, Buffer.from('hello')]));
await s3.setObjectTagging(bucket, 'small', { colour: 'blue' });
const tags = await s3.getObjectTagging(bucket, 'small');
assert.deepEqual(tags.flat(), [{ Key: 'colour', Value: 'blue' }]);

const got = await fetch(await s3.presignedGetObject(bucket, 'small', 60));
assert.equal(await got.text(), 'hello');
const putUrl = await s3.presignedPutObject(bucket, 'by-url', 60);
assert.equal((await fetch(putUrl, { method: 'PUT', body: 'put' })).status, 200);
const policy = s3.newPostPolicy();
policy.setBucket(bucket);
policy.setKey('by-form');
policy.setExpires(new Date(Date.now() + 60_000));
policy.setContentLengthRange(1, 100);
const { postURL, formData } = await s3.presignedPostPolicy(policy);
const form = new FormData();
for (const [name, value] of Object.entries(formData)) form.append(name, value);
form.append('file', new Blob(['form']), 'f');
assert.ok((await fetch(postURL, { method: 'POST', body: form })).ok);
await isSame('by-url', Buffer.from('put'));
await isSame('by-form', Buffer.from('form'));

await s3.setBucketVersioning(bucket, { Status: 'Enabled' });
const { versionId } = await s3.putObject(bucket, 'v', '1');
await s3.putObject(bucket, 'v', '2');
await s3.removeObject(bucket, 'v');
assert.equal((await read('v', { versionId })).toString(), '1');
await assert.rejects(read('v'), { code: 'NoSuchKey' });
const entries = await s3.listObjects(bucket, '', true, { IncludeVersion: true }).toArray();
assert.equal(entries.length, 11);
await s3.removeObjects(bucket, entries.map(({ name, versionId }) => ({ name, versionId })));
await s3.removeBucket(bucket);
console.log('minio-js', require('minio/package.json').version);
JS
"$NODE" day.mjs

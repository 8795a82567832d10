// The largest source of a copy whose bytes are written anew: 5 GiB, as much as a PUT brings.
import { beforeAll, expect, it } from 'vitest';
import { parseBucketName } from '../../../../../src/core/parse-names.ts';
import {
  blobIn,
  newReferenceOf,
  refOf,
  segmentsObjectOf,
  wholeOf,
} from '../../../../contract/index/samples.ts';
import { codeOf, one } from '../../kit/responses.ts';
import { createTestSurface } from '../../kit/surface.ts';

const GiB = 1024 ** 3;
const surface = createTestSurface();
const { send } = surface;
let uploadId = '';

/** Stores an object of six blobs of a GiB in the index; nobody reads their bytes. */
beforeAll(async () => {
  await send({ method: 'PUT', path: '/copies' });
  const name = parseBucketName('copies');
  const { metadataIndex } = surface.core.ports;
  const record = await metadataIndex.call(name, 'getBucket', { name });
  if (record === null) throw new Error('no bucket');
  const blobIds = Array.from({ length: 6 }, () => blobIn(record));
  await metadataIndex.call(name, 'commitObject', {
    bucket: refOf(record),
    object: segmentsObjectOf(
      'huge',
      blobIds.map((blobId) => wholeOf(blobId, GiB)),
      { ownerId: record.ownerId },
    ),
    condition: null,
    newReferences: blobIds.map((blobId) => newReferenceOf(blobId, GiB)),
  });
  const begun = await send({ method: 'POST', path: '/copies/parts', query: { uploads: '' } });
  uploadId = one(begun.text, 'UploadId') ?? '';
});

const copyOf = (headers: Record<string, string>) => ({
  'x-amz-copy-source': '/copies/huge',
  ...headers,
});

it('an object above 5 GiB is no source of a copy that is encrypted anew', async () => {
  const headers = copyOf({ 'x-amz-server-side-encryption': 'AES256' });
  const reply = await send({ method: 'PUT', path: '/copies/copy', headers });
  expect(codeOf(reply)).toEqual([400, 'InvalidRequest']);
  expect(reply.text).toContain(`${5 * GiB}`);
});

it.each([
  ['the whole of it', {}],
  ['a byte above 5 GiB', { 'x-amz-copy-source-range': `bytes=0-${5 * GiB}` }],
])('%s of the object is no source of a part', async (_, range) => {
  const reply = await send({
    method: 'PUT',
    path: '/copies/parts',
    query: { uploadId, partNumber: '1' },
    headers: copyOf(range),
  });
  expect(codeOf(reply)).toEqual([400, 'InvalidRequest']);
  expect(reply.text).toContain(`${5 * GiB}`);
});

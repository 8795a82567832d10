import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, it } from 'vitest';
import { checksumOf } from '../../../../src/crypto/digest-set.ts';
import { CHECKSUM_ALGORITHMS } from '../../../../src/http/s3/formats/checksum-names.ts';
import {
  checksumHeader,
  readBodyExpectation,
} from '../../../../src/http/s3/headers/checksum-headers.ts';
import { withQueryHeaders } from '../../../../src/http/s3/headers/presigned-headers.ts';
import { readObjectAttributes } from '../../../../src/http/semantics/object-headers.ts';
import { parseQuery } from '../../../../src/http/semantics/raw-path.ts';

const sent = (headers: Record<string, string>) => ({
  header: (name: string) => headers[name] ?? null,
  headerNames: () => Object.keys(headers),
});
const NO_TRAILERS = { trailerNames: [], trailer: () => null };
const client = new S3Client({
  region: 'auto',
  endpoint: 'http://127.0.0.1:1',
  forcePathStyle: true,
  credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' },
});
const presigned = async (input: Partial<PutObjectCommand['input']>) => {
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: 'b', Key: 'k', ...input }));
  return parseQuery(url.slice(url.indexOf('?') + 1)).entries;
};

it('headers of the query count as sent, names in any case, values as bytes', () => {
  const source = withQueryHeaders(sent({ host: 'h' }), [
    ['X-Amz-Meta-Grun', 'é'],
    ['x-amz-acl', 'private'],
    ['x-amz-acl', 'public-read'],
    ['response-expires', 'x'],
  ]);
  expect(source.header('x-amz-meta-grun')).toBe('Ã©');
  expect(source.header('x-amz-acl')).toBe('private');
  expect(source.header('response-expires')).toBeNull();
  expect([...source.headerNames()]).toEqual(['host', 'x-amz-meta-grun', 'x-amz-acl']);
});

it('a header that was sent wins', () => {
  const source = withQueryHeaders(sent({ 'x-amz-acl': 'private' }), [['x-amz-acl', 'public-read']]);
  expect(source.header('x-amz-acl')).toBe('private');
  expect([...source.headerNames()]).toEqual(['x-amz-acl']);
});

it("the JavaScript SDK's checksum of nothing is no promise", async () => {
  const entries = await presigned({ Metadata: { colour: 'blue' }, StorageClass: 'STANDARD_IA' });
  expect(entries).toContainEqual(['x-amz-checksum-crc32', 'AAAAAA==']);
  const source = withQueryHeaders(sent({}), entries);
  expect(readBodyExpectation(source.header, NO_TRAILERS)).toEqual({
    contentMd5Hex: null,
    checksum: null,
  });
  expect(readObjectAttributes(source)).toMatchObject({
    storageClass: 'STANDARD_IA',
    userMetadata: { colour: 'blue' },
  });
});

it.each(CHECKSUM_ALGORITHMS)('a checksum of nothing is no promise by %s either', (algorithm) => {
  const ofNothing = checksumOf(algorithm, new Uint8Array());
  const source = withQueryHeaders(sent({}), [[checksumHeader(algorithm), ofNothing]]);
  expect(readBodyExpectation(source.header, NO_TRAILERS).checksum).toBeNull();
});

it('a checksum of something is one', async () => {
  const entries = await presigned({
    ChecksumSHA256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  });
  const source = withQueryHeaders(sent({}), entries);
  const { checksum } = readBodyExpectation(source.header, NO_TRAILERS);
  expect([checksum?.algorithm, checksum?.expected()]).toEqual([
    'SHA256',
    'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  ]);
});

it('a checksum of nothing that was sent as a header is a promise', () => {
  const source = withQueryHeaders(sent({ 'x-amz-checksum-crc32': 'AAAAAA==' }), []);
  expect(readBodyExpectation(source.header, NO_TRAILERS).checksum?.expected()).toBe('AAAAAA==');
});

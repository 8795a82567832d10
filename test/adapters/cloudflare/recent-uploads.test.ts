// Uploads that an isolate remembers: whose they are, for how long, and how many. What becomes of a
// part of one that ended elsewhere is test/workerd/metadata-index.test.ts's.
import { describe, expect, it } from 'vitest';
import { createRecentUploads } from '../../../src/adapters/cloudflare/clients/recent-uploads.ts';
import type { Upload } from '../../../src/ports/index-calls/upload-calls.ts';
import { uploadOf } from '../../contract/index/samples.ts';

const addressIn = (bucket: string, { key, uploadId }: Upload) => ({
  bucket: { id: bucket },
  key: key as string,
  uploadId: uploadId as string,
});

function openMemory() {
  const uploads = createRecentUploads({ nowMs: () => 1_000_000 });
  const find = (address: ReturnType<typeof addressIn>) => uploads.find('getUpload', address);
  const begin = (bucket: string, upload: Upload) => {
    uploads.begin('createUpload', { bucket: { id: bucket }, upload }).done(undefined);
    return addressIn(bucket, upload);
  };
  return { uploads, find, begin };
}

describe('uploads that an isolate remembers', () => {
  it('are found by bucket, key and upload id, wherever a client puts spaces', () => {
    const { find, begin } = openMemory();
    const upload = uploadOf('a b');
    const address = begin('one', upload);
    expect(find(address)).toEqual(upload);
    // A bucket of the same name that was made anew has another id.
    expect(find({ ...address, bucket: { id: 'two' } })).toBe(null);
    expect(find({ ...address, key: 'b', uploadId: `${address.uploadId} a` })).toBe(null);
    expect(find({ ...address, key: `${address.uploadId} a b`, uploadId: '' })).toBe(null);
  });

  it('take bounded memory, and the oldest go', () => {
    const { find, begin } = openMemory();
    const userMetadata = { note: 'x'.repeat(2000) };
    const addresses = Array.from({ length: 1000 }, (_, at) =>
      begin('one', uploadOf(`k${at}`, { userMetadata })),
    );
    const found = addresses.filter((address) => find(address) !== null);
    expect(found.length).toBeGreaterThan(100);
    expect(found.length).toBeLessThan((1024 * 1024) / (2 * 2000));
    expect(found.at(-1)).toEqual(addresses.at(-1));
  });

  it('are not brought back by a read that began before their end', () => {
    const { uploads, find, begin } = openMemory();
    const upload = uploadOf('k');
    const address = begin('one', upload);
    const read = uploads.begin('getUpload', address);
    uploads.begin('abortUpload', address).done(undefined);
    read.done(upload);
    expect(find(address)).toBe(null);
  });
});

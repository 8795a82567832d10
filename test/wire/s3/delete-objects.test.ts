// DeleteObjects: many keys in one request, results per key, and requests that must delete nothing
// at all.
import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { beforeEach, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { putKeys } from '../kit/clients/bucket-work.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError, xmlRoot } from '../kit/clients/xml.ts';
import { md5Base64 } from '../kit/reference-checksums.ts';

const { s3, send } = client;
const KEYS = ['a', 'dir/b', 'c d', 'é', ' lead', 'x&<>"\'', '\u{1F600}'];

describeCore('DeleteObjects', () => {
  const bucket = useBucket(client);
  beforeEach(() => putKeys(client, bucket, KEYS));

  const post = (
    body: string,
    headers: Record<string, string> = { 'content-md5': md5Base64(Buffer.from(body)) },
  ) => send({ method: 'POST', bucket, query: { delete: '' }, body, headers });
  const remaining = async () => {
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    return (Contents ?? []).map(({ Key }) => Key);
  };
  const escaped = (key: string) => key.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const objects = (keys: readonly string[]) =>
    keys.map((key) => `<Object><Key>${escaped(key)}</Key></Object>`).join('');

  it('deletes each key and says so, missing ones included', async () => {
    const Objects = [...KEYS, 'never there'].map((Key) => ({ Key }));
    const result = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
    expect(result.Deleted?.map(({ Key }) => Key).sort()).toEqual(
      Objects.map(({ Key }) => Key).sort(),
    );
    expect(result.Errors).toBeUndefined();
    expect(await remaining()).toEqual([]);
  });

  it('keeps silent about successes when asked to be quiet', async () => {
    const reply = await post(`<Delete><Quiet>true</Quiet>${objects(KEYS)}</Delete>`);
    expect(reply.status, reply.text).toBe(200);
    expect(xmlRoot(reply.text, 'DeleteResult')).not.toHaveProperty('Deleted');
    expect(await remaining()).toEqual([]);
  });

  it('reads the document with and without a namespace, and with entities', async () => {
    const namespaced = await post(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Delete ` +
        `xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\n  ${objects(['a'])}\n</Delete>`,
    );
    expect(xmlRoot(namespaced.text, 'DeleteResult').Deleted).toEqual([{ Key: 'a' }]);
    await post(
      `<Delete>${objects(['x&<>"\'', ' lead'])}<Object><Key>&#x1F600;</Key></Object></Delete>`,
    );
    expect(await remaining()).toEqual(['c d', 'dir/b', 'é']);
  });

  it('deletes a key named twice once', async () => {
    const reply = await post(`<Delete>${objects(['a', 'a'])}</Delete>`);
    expect(reply.status).toBe(200);
    expect(await remaining()).not.toContain('a');
  });

  it('takes 1,000 keys and not one more', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const full = xmlRoot((await post(`<Delete>${objects(keys)}</Delete>`)).text, 'DeleteResult');
    expect(full.Deleted).toHaveLength(1000);
    expectError(await post(`<Delete>${objects([...keys, 'a'])}</Delete>`), 400, 'MalformedXML');
    expect(await remaining()).toContain('a');
  });

  it.each([
    ['nothing', ''],
    ['no XML', 'delete it all'],
    ['an unclosed element', '<Delete><Object><Key>a</Key>'],
    ['no object', '<Delete></Delete>'],
    ['an object without a key', '<Delete><Object></Object></Delete>'],
    ['another root', `<Erase>${objects(['a'])}</Erase>`],
    [
      'a document type',
      `<!DOCTYPE d [<!ENTITY k "a">]><Delete><Object><Key>&k;</Key></Object></Delete>`,
    ],
    ['a made-up entity', '<Delete><Object><Key>&nothing;</Key></Object></Delete>'],
    ['a second root', `<Delete>${objects(['a'])}</Delete><Delete>${objects(['dir/b'])}</Delete>`],
    ['too deep a nest', `<Delete>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</Delete>`],
  ])('deletes nothing for %s', async (_, body) => {
    const reply = await post(body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.text).toMatch(/<Code>(MalformedXML|MissingRequestBodyError)<\/Code>/);
    expect(await remaining()).toHaveLength(KEYS.length);
  });

  it('does not read a document without end', async () => {
    // A little more than is read, so that it is sent whole before the answer closes the connection.
    const body = `<Delete>${objects(['a'])}${' '.repeat(2 * 1024 * 1024)}</Delete>`;
    const reply = await post(body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.text).toMatch(/<Code>(MalformedXML|MaxMessageLengthExceeded)<\/Code>/);
    expect(await remaining()).toContain('a');
  });

  it('wants a digest of the document and examines it', async () => {
    const body = `<Delete>${objects(['a'])}</Delete>`;
    expectError(await post(body, {}), 400, 'InvalidRequest');
    expectError(
      await post(body, { 'content-md5': md5Base64(Buffer.from('else')) }),
      400,
      'BadDigest',
    );
    expectError(await post(body, { 'content-md5': 'no digest' }), 400, 'InvalidDigest');
    expectError(await post(body, { 'x-amz-checksum-crc32': 'AAAAAA==' }), 400, 'BadDigest');
    expect(await remaining()).toContain('a');
  });
});

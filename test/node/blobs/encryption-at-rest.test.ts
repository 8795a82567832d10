// What lies on the disk of the Node platform for encrypted objects: no plain byte and no key,
// whichever file one reads; and what was changed there behind its back is refused.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openNodePorts } from '../../../src/adapters/node/node-ports.ts';
import { loadMasterKeyText } from '../../../src/adapters/node/process/master-key-file.ts';
import { parseConfig, withStoredMasterKeys } from '../../../src/config.ts';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import type { Core } from '../../../src/core/core.ts';
import type { CustomerKey, RequestedEncryption } from '../../../src/core/encryption/envelope.ts';
import { getObject, openBody } from '../../../src/core/objects/read-object.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { bodyOf, key, putBytes } from '../../core/memory-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const SECRET = 'the text that nobody may find on the disk. ';
const SMALL = new TextEncoder().encode(SECRET);
const LARGE = new TextEncoder().encode(SECRET.repeat(5000));
const MINE: CustomerKey = { bytes: new Uint8Array(32).fill(0xa5), md5: 'the-md5-of-the-key' };
const NAME = parseBucketName('at-rest');

const ENCRYPTIONS: Readonly<Record<string, RequestedEncryption>> = {
  own: { kind: 'customer', key: MINE },
  server: { kind: 'server' },
  named: { kind: 'named', keyId: null, isDoubled: false, isBucketKey: false, context: null },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function openPlatform(dataDir: string): Promise<Core & { close(): Promise<void> }> {
  const settings = parseConfig({ QUAYSIDE_DATA_DIR: dataDir });
  const config = {
    ...settings,
    masterKeys: withStoredMasterKeys([], loadMasterKeyText(dataDir, true)),
  };
  const log = { info: () => {}, error: () => {} };
  const { ports, close } = await openNodePorts(config, { dataDir, log, onCrash: () => {} });
  let isOpen = true;
  const closeOnce = async () => {
    if (isOpen) await close(1000);
    isOpen = false;
  };
  closing.push(closeOnce);
  return { ports, settings: config, close: closeOnce };
}

async function fill(core: Core): Promise<void> {
  await createBucket(core, ROOT_ACCOUNT, NAME, PRIVATE_ACCESS);
  const bucket = await openBucket(core, NAME, () => undefined);
  for (const [name, encryption] of Object.entries(ENCRYPTIONS)) {
    for (const [size, bytes] of [
      ['small', SMALL],
      ['large', LARGE],
    ] as const) {
      await putBytes(core, bucket, `${name}-${size}`, bytes, {
        body: bodyOf(bytes, 40_000),
        encryption,
      });
    }
  }
}

async function read(core: Core, name: string): Promise<string> {
  const bucket = await openBucket(core, NAME, () => undefined);
  const version = await getObject(bucket, key(name));
  const whole = { offsetBytes: 0, lengthBytes: version.sizeBytes };
  const { body } = await openBody(core, version, whole, name.startsWith('own') ? MINE : null);
  return new Response(body as ConstructorParameters<typeof Response>[0]).text();
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
const objects = Object.keys(ENCRYPTIONS).flatMap((name) => [`${name}-small`, `${name}-large`]);

describe('the data folder', () => {
  it('holds no plain byte of an encrypted object, and no key but in its file', async () => {
    const folder = temporaryFolder();
    const core = await openPlatform(folder);
    await fill(core);
    for (const name of objects)
      expect(await read(core, name)).toBe(name.endsWith('small') ? SECRET : SECRET.repeat(5000));
    const masterKey = core.settings.masterKeys[0]?.key ?? new Uint8Array();
    await core.close();
    const files = filesBelow(folder);
    const isIn = (text: string | Uint8Array) =>
      files.filter((path) => readFileSync(path).includes(text));
    // The search finds what is there: keys of objects are plain.
    expect(isIn('server-large').length).toBeGreaterThan(0);
    for (const text of [SECRET.slice(0, 12), MINE.bytes, MINE.md5, masterKey])
      expect(isIn(text)).toEqual([]);
    for (const text of [MINE.bytes.toHex(), MINE.bytes.toBase64(), masterKey.toHex()])
      expect(isIn(text)).toEqual([]);
    expect(isIn(masterKey.toBase64())).toEqual([join(folder, 'master-key')]);
    expect(statSync(join(folder, 'master-key')).mode & 0o777).toBe(0o600);
  });

  it('is read again after a restart, with the key of the file', async () => {
    const folder = temporaryFolder();
    const first = await openPlatform(folder);
    await fill(first);
    await first.close();
    const second = await openPlatform(folder);
    for (const name of objects)
      expect((await read(second, name)).length).toBe(name.endsWith('small') ? 43 : 43 * 5000);
  });

  it('is refused where a bit of a blob was flipped', async () => {
    const folder = temporaryFolder();
    const first = await openPlatform(folder);
    await fill(first);
    await first.close();
    for (const path of filesBelow(join(folder, 'blobs'))) {
      const bytes = readFileSync(path);
      bytes[1000] = (bytes[1000] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    }
    const second = await openPlatform(folder);
    for (const name of Object.keys(ENCRYPTIONS)) {
      await expect(read(second, `${name}-large`)).rejects.toMatchObject({ code: 'ObjectDamaged' });
      expect(await read(second, `${name}-small`)).toBe(SECRET);
    }
  });
});

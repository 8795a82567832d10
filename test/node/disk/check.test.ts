// `npm run check`: whether index and blobs agree, both ways; which objects and files are hurt, by
// name; which master keys are missing; and proof of every kind of body.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { proverOf } from '../../../scripts/print-check.ts';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { blobPath } from '../../../src/adapters/node/blobs/blob-path.ts';
import { checkFolder } from '../../../src/adapters/node/check/check-folder.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { openMasterKeys } from '../../../src/adapters/node/process/master-key-record.ts';
import { parseConfig } from '../../../src/config.ts';
import { runCompression } from '../../../src/core/compression/run-compression.ts';
import { createKmsKey } from '../../../src/core/encryption/kms-keys.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import type { BlobId, ObjectVersion } from '../../../src/domain/nouns.ts';
import { sourceOf } from '../../contract/bodies.ts';
import { logBytes } from '../../contract/index/compressed-blobs.contract.ts';
import { copy, ENCRYPTIONS, put } from '../../core/encryption/encryption-kit.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  GRACE_SECONDS,
  key,
  openTestBucket,
  putBytes,
  sampleBytes,
} from '../../core/memory-core.ts';
import { completeParts, putPart, startUpload } from '../../core/multipart-kit.ts';
import {
  BLOB_BYTES,
  openStoredCore,
  passGrace,
  putAll,
  type StoredCore,
} from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const MANY = 5 * 1024 * 1024;
const COMMAND = fileURLToPath(new URL('../../../scripts/check.ts', import.meta.url));
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/quayside', import.meta.url));
const SETTINGS = parseConfig({});

const checkNow = (folder: string, readsBodies = false) =>
  checkFolder(folder, {
    graceSeconds: GRACE_SECONDS,
    settings: SETTINGS,
    makeProver: readsBodies ? proverOf(SETTINGS) : null,
  });

/** The file of the first blob of a version. */
function fileOf(dataDir: string, { segments }: Pick<ObjectVersion, 'segments'>): string {
  const [segment] = segments;
  if (segment === undefined) throw new Error('It stands in its row.');
  return blobPath(join(dataDir, 'blobs'), segment.blobId).file;
}

function flipByte(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const typed = (contentType: string) => ({ ...ATTRIBUTES, headers: { contentType } });

/** Every kind of body there is, each under its own key. */
async function fillAll(stored: StoredCore): Promise<void> {
  const { core, bucket } = stored;
  await putBytes(core, bucket, 'inline', sampleBytes(10));
  await putBytes(core, bucket, 'empty', sampleBytes(0));
  await putBytes(core, bucket, 'blob', sampleBytes(BLOB_BYTES), { attributes: typed('image/png') });
  for (const [name, encryption] of ENCRYPTIONS) {
    const encrypted = await put(
      core,
      bucket,
      sampleBytes(200_000),
      encryption,
      `encrypted by ${name}`,
    );
    await put(core, bucket, sampleBytes(12), encryption, `encrypted inline by ${name}`);
    if (encryption.kind !== 'customer')
      await copyObject(
        core,
        bucket,
        copy(encrypted, `moved from ${name}`, ENCRYPTIONS[1]?.[1] ?? null),
      );
  }
  const upload = await startUpload(core, bucket, 'multipart');
  const parts = [
    await putPart(core, bucket, upload, 1, sampleBytes(MANY)),
    await putPart(core, bucket, upload, 2, sampleBytes(9)),
  ];
  const whole = await completeParts(core, bucket, upload, parts);
  await copyObject(core, bucket, copy(whole, 'copy of multipart', null));
  await putPart(
    core,
    bucket,
    await startUpload(core, bucket, 'unfinished'),
    7,
    sampleBytes(BLOB_BYTES),
  );
  await putBytes(core, bucket, 'compressed', logBytes(300_000), {
    attributes: typed('text/plain'),
  });
  await setBucketSettings(core, bucket, {
    compression: { afterDays: 0, setAtMs: core.ports.clock.nowMs() },
  });
  core.advanceSeconds(60);
  const budget = {
    bytes: 2 ** 40,
    bodies: 1000,
    bodyMaxBytes: 2 ** 40,
    frameBytes: 2 ** 16,
    stopping: null,
  };
  await runCompression(core, bucket.record().name, budget);
}

describe('a sound folder', () => {
  let stored: StoredCore;
  beforeAll(async () => {
    stored = await openStoredCore();
    await fillAll(stored);
  });

  it("is sound, with all bodies proved but those under clients' keys, as its backup", async () => {
    const compressed = await getObject(stored.bucket, key('compressed'));
    expect(compressed.segments[0]?.packing).toBeDefined();
    const backup = temporaryFolder();
    await backUp(stored.dataDir, backup, 'share');
    for (const folder of [stored.dataDir, backup]) {
      const result = await checkNow(folder, true);
      expect(result.hurt).toEqual([]);
      expect(result).toMatchObject({
        isSound: true,
        unprovedBodies: 2,
        parts: 1,
        damagedBlobs: [],
        hurtCount: 0,
      });
      expect(result.provedBodies).toBe(result.objects + result.parts - 2);
      expect(result.orphans).toMatchObject({ count: 0, young: 0 });
    }
  });

  it('says how much each master key protects', async () => {
    const { masterKeyUses } = await checkNow(stored.dataDir);
    const [masterKey] = stored.core.settings.masterKeys;
    // Two objects, three copies that were put under it, and the KMS key.
    expect(masterKeyUses).toEqual({ [masterKey?.id ?? '']: 6 });
  });

  it('finds by name each body that is not what was written', async () => {
    const folder = temporaryFolder();
    cpSync(stored.dataDir, folder, { recursive: true });
    const names = [
      'blob',
      'compressed',
      'multipart',
      'encrypted by the master key',
      'encrypted by a KMS key, twice',
    ];
    for (const name of names)
      flipByte(fileOf(folder, await getObject(stored.bucket, key(name))), 3000);
    const index = openSqlite(join(folder, 'index.sqlite'), { readOnly: false });
    index.all(
      "UPDATE object_bodies SET inline_bytes = x'00' " +
        "WHERE id = (SELECT body_id FROM objects WHERE key = 'inline')",
    );
    index.close();
    expect(await checkNow(folder)).toMatchObject({ isSound: true });
    const found = await checkNow(folder, true);
    const sharing = ['copy of multipart', 'moved from the master key'];
    expect(found.hurt.map((hurt) => hurt.key).sort()).toEqual(
      [...names, ...sharing, 'inline'].sort(),
    );
    expect(found.isSound).toBe(false);
    const files = await Promise.all(
      names.map(async (name) =>
        relative(folder, fileOf(folder, await getObject(stored.bucket, key(name)))),
      ),
    );
    const damaged = found.damagedBlobs
      .filter(({ kind }) => kind === 'damaged')
      .map(({ file }) => file);
    const suspected = found.damagedBlobs
      .filter(({ kind }) => kind === 'suspected')
      .map(({ file }) => file);
    // The digest of a multipart object is of all its parts, so both of its blobs are suspected.
    const multipart = files[2];
    expect(damaged.sort()).toEqual(files.filter((file) => file !== multipart).sort());
    expect([suspected.length, suspected.includes(multipart ?? '')]).toEqual([2, true]);
  });

  it('is not sound without a master key in use, and says what it protects', async () => {
    const folder = temporaryFolder();
    cpSync(stored.dataDir, folder, { recursive: true });
    const [masterKey] = stored.core.settings.masterKeys;
    const id = masterKey?.id ?? '';
    rmSync(join(folder, 'master-key'));
    const found = await checkNow(folder, true);
    expect(found).toMatchObject({
      isSound: false,
      missingMasterKeys: [{ id, protects: { objects: 5, kmsKeys: 1 } }],
    });
    // No byte of what can't be opened is known to be wrong.
    expect([found.hurtCount > 0, found.damagedBlobs]).toEqual([true, []]);
    const lost = parseConfig({ QUAYSIDE_WITHOUT_MASTER_KEYS: id });
    const options = { graceSeconds: GRACE_SECONDS, settings: lost, makeProver: null };
    expect(await checkFolder(folder, options)).toMatchObject({
      isSound: false,
      missingMasterKeys: [{ id }],
    });
  });
});

describe('blobs that another bucket refers to', () => {
  let stored: StoredCore;
  beforeAll(async () => {
    stored = await openStoredCore();
    await fillAll(stored);
    const other = await openTestBucket(stored.core, 'other-bucket');
    const compressed = await getObject(stored.bucket, key('compressed'));
    await copyObject(stored.core, other, copy(compressed, 'copy of compressed', null));
    const upload = await startUpload(stored.core, other, 'range');
    const blob = await getObject(stored.bucket, key('blob'));
    const range = { offsetBytes: 10, lengthBytes: 20_000 };
    await uploadPartCopy(stored.core, other, { ...upload, partNumber: 1, source: blob, range });
  });

  const expectSound = async () => {
    const backup = temporaryFolder();
    await backUp(stored.dataDir, backup, 'share');
    for (const folder of [stored.dataDir, backup]) {
      const result = await checkNow(folder, true);
      expect(result).toMatchObject({ isSound: true, damagedBlobs: [], hurt: [] });
    }
  };

  it('are whole, compressed or of a range, and in a backup', expectSound);

  it('are noted with the bytes that are stored, or those of the range', async () => {
    const { segments } = await getObject(stored.bucket, key('compressed'));
    const index = openSqlite(join(stored.dataDir, 'index.sqlite'), { readOnly: true });
    const rows = index.all('SELECT size_bytes FROM blobs WHERE home_bucket_id IS NOT NULL');
    index.close();
    const sizes = rows.map((row) => Object.values(row)[0]);
    expect(new Set(sizes)).toEqual(new Set([segments[0]?.packing?.storedBytes, 20_000]));
  });

  it('are whole where a reference has another length', async () => {
    const index = openSqlite(join(stored.dataDir, 'index.sqlite'), { readOnly: false });
    index.all('UPDATE blobs SET size_bytes = 300000 WHERE home_bucket_id IS NOT NULL');
    index.close();
    await expectSound();
  });

  it('are whole after their owner bucket has deleted its objects', async () => {
    const sources = ['compressed', 'blob'].map((name) => ({ key: key(name) }));
    await deleteObjects(stored.core, stored.bucket, sources);
    await expectSound();
  });
});

describe('a check finds', () => {
  it('a master key that the index remembers and nothing needs, without harm', async () => {
    const dataDir = temporaryFolder();
    createMemoryCore(join(dataDir, 'index.sqlite'));
    const [{ id = '' } = {}] = openMasterKeys(dataDir, SETTINGS);
    expect(await checkNow(dataDir)).toMatchObject({ isSound: true, missingMasterKeys: [] });
    rmSync(join(dataDir, 'master-key'));
    const missing = { isSound: true, missingMasterKeys: [{ id, protects: {} }] };
    expect(await checkNow(dataDir)).toMatchObject(missing);
  });

  it('blobs that are missing, cut or damaged at their ends, with the hurt versions', async () => {
    const stored = await openStoredCore();
    const { core, dataDir } = stored;
    await setBucketSettings(core, stored.bucket, { versioning: 'enabled' });
    const bucket = await openBucket(core, stored.bucket.record().name, () => undefined);
    const versions = new Map<string, ObjectVersion>();
    for (const name of ['missing', 'short', 'footer', 'sound']) {
      versions.set(`old ${name}`, await putBytes(core, bucket, name, sampleBytes(BLOB_BYTES, 1)));
      versions.set(name, await putBytes(core, bucket, name, sampleBytes(BLOB_BYTES, 2)));
    }
    const fileOfName = (name: string) => fileOf(dataDir, versions.get(name) as ObjectVersion);
    rmSync(fileOfName('missing'));
    rmSync(fileOfName('old missing'));
    truncateSync(fileOfName('short'), BLOB_BYTES - 1);
    flipByte(fileOfName('footer'), BLOB_BYTES + 3);
    const upload = await startUpload(core, bucket, 'unfinished');
    const part = await putPart(core, bucket, upload, 1, sampleBytes(BLOB_BYTES, 3));
    rmSync(fileOf(dataDir, part));

    const found = await checkNow(dataDir);
    const hurtNames = found.hurt.map(({ key: name, versionId, partNumber, kind }) => [
      name,
      versionId ?? partNumber,
      kind,
    ]);
    expect(hurtNames).toEqual([
      ['footer', versions.get('footer')?.versionId, 'damaged'],
      ['missing', versions.get('missing')?.versionId, 'missing'],
      ['short', versions.get('short')?.versionId, 'damaged'],
      ['missing', versions.get('old missing')?.versionId, 'missing'],
      ['unfinished', 1, 'missing'],
    ]);
    expect(found).toMatchObject({
      isSound: false,
      objects: 4,
      olderVersions: 4,
      parts: 1,
      blobs: 9,
    });
    expect(found.damagedBlobs).toHaveLength(5);
  });

  it('rows whose blob the index has lost or would let go', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a', 'b', 'c']);
    const idOf = async (name: string) =>
      (await getObject(stored.bucket, key(name))).segments[0]?.blobId ?? '';
    const [a, b] = [await idOf('a'), await idOf('b')];
    const index = openSqlite(join(stored.dataDir, 'index.sqlite'), { readOnly: false });
    index.all('DELETE FROM blobs WHERE blob_id = ?', a);
    index.all('UPDATE blobs SET refs = 0, unreferenced_since_ms = 1 WHERE blob_id = ?', b);
    index.close();
    const found = await checkNow(stored.dataDir);
    expect(found.hurt.map((hurt) => hurt.key)).toEqual(['a', 'b']);
  });

  it('files that the index does not know, but for those younger than the grace', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    const { core, bucket } = stored;
    const { id } = bucket.record();
    const identity = {
      bucket: bucket.record().name,
      key: key('x'),
      headers: {},
      userMetadata: {},
      part: null,
      encryption: null,
    };
    const write = (blobId: BlobId) =>
      core.ports.blobStore.write(blobId, sourceOf(sampleBytes(1000)), identity);
    const old = core.ports.ids.blobId(id);
    await write(old);
    await write(`${id}/zzzzzzzzz${'0'.repeat(18)}` as BlobId);
    const { orphans, isSound } = await checkNow(stored.dataDir);
    expect(orphans).toMatchObject({ count: 1, young: 1, blobIds: [old] });
    expect(isSound).toBe(true);
  });

  it('nothing wrong in a folder that a server changes meanwhile', async () => {
    const stored = await openStoredCore();
    let isOver = false;
    const writing = (async () => {
      for (let round = 0; !isOver; round++) {
        await putAll(stored, ['a', 'b', 'c'], round);
        passGrace(stored);
      }
    })();
    for (let round = 0; round < 5; round++)
      expect((await checkNow(stored.dataDir, true)).hurt).toEqual([]);
    isOver = true;
    await writing;
  });
});

describe('the command', () => {
  const run = (...args: string[]) => runFile(COMMAND, ...args);
  const runFile = (command: string, ...args: string[]) =>
    spawnSync(process.execPath, [command, ...args], {
      cwd: temporaryFolder(),
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED },
      encoding: 'utf8',
    });

  it('ends with 0, 1 or 2, and tells people and programs what it found', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a\u001b[31m', 'b']);
    expect(run(stored.dataDir)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Sound'),
    });
    rmSync(fileOf(stored.dataDir, await getObject(stored.bucket, key('a\u001b[31m'))));
    const hurt = run(stored.dataDir, '--bodies');
    expect([hurt.status, hurt.stdout.includes('"test-bucket/a\\u001b[31m"')]).toEqual([1, true]);
    const bFile = fileOf(stored.dataDir, await getObject(stored.bucket, key('b')));
    flipByte(bFile, 3000);
    const changed = run(stored.dataDir, '--bodies').stdout;
    expect(changed).toContain(`blob damaged: ${relative(stored.dataDir, bFile)}: Its bytes`);
    expect(changed).toContain('missing or damaged: 2\n');
    const json = run(stored.dataDir, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      isSound: false,
      hurtCount: 1,
      hurt: [{ bucket: 'test-bucket' }],
    });
    const wrong = run(temporaryFolder());
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('is no data folder')]);
    expect(readdirSync(stored.dataDir)).toContain('index.sqlite');
  });

  it('names a missing master key and what it protects, and ends with 1', async () => {
    const stored = await openStoredCore();
    await createKmsKey(stored.core, 'a-key');
    rmSync(join(stored.dataDir, 'master-key'));
    const { status, stdout } = run(stored.dataDir);
    const [masterKey] = stored.core.settings.masterKeys;
    expect(stdout).toMatch(new RegExp(`master key ${masterKey?.id} IS MISSING.*KMS keys.*: 1`));
    expect([status, stdout.includes('NOT SOUND: 0 hurt, master keys missing: 1.')]).toEqual([
      1,
      true,
    ]);
  });

  it.each(['backup', 'restore', 'check'])(
    '%s prints its usage for --help and does nothing',
    (name) => {
      const command = COMMAND.replace('check.ts', `${name}.ts`);
      const { status, stdout, stderr } = runFile(command, '--help');
      expect([status, stdout, stderr]).toEqual([
        0,
        expect.stringContaining(`npm run ${name} -- `),
        '',
      ]);
    },
  );
});

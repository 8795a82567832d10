// Folders and files that a check, a backup or a restore must refuse, each with its reason.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { blobPath } from '../../../src/adapters/node/blobs/blob-path.ts';
import { createReadOnlyBlobs } from '../../../src/adapters/node/check/read-only-blobs.ts';
import {
  findStoredFolder,
  requireKnownIndex,
} from '../../../src/adapters/node/check/stored-folder.ts';
import {
  describeFile,
  MANIFEST_FORMAT,
  type Manifest,
  proveFiles,
  readManifest,
  writeManifest,
} from '../../../src/adapters/node/disk/backup-manifest.ts';
import { refuseLostIndex } from '../../../src/adapters/node/disk/lost-index.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { migrate } from '../../../src/index/tables/schema.ts';
import { openStoredCore, putAll } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const refused = (text: string) =>
  expect.objectContaining({ name: 'DataFolderError', message: expect.stringContaining(text) });

describe('a manifest', () => {
  const manifest: Manifest = {
    format: MANIFEST_FORMAT,
    takenAt: '2026-11-20T00:00:00.000Z',
    generation: 'generation-1',
    index: { name: 'index.sqlite', sizeBytes: 5, sha256: '' },
    keys: [],
    blobs: { count: 0, bytes: 0 },
    hurtBlobs: [],
  };

  it('is read as it was written', () => {
    const folder = temporaryFolder();
    expect(readManifest(folder)).toBeNull();
    writeManifest(folder, manifest);
    expect(readManifest(folder)).toEqual(manifest);
  });

  it.each([
    ['{', "can't be read"],
    [JSON.stringify({ ...manifest, format: 2 }), 'is of format 2'],
    [JSON.stringify({ ...manifest, generation: '../elsewhere' }), 'is damaged'],
    [JSON.stringify({ ...manifest, generation: 'generation-a/b' }), 'is damaged'],
  ])('is refused: %s', (text, reason) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'manifest.json'), text);
    expect(() => readManifest(folder)).toThrow(refused(reason));
  });

  it('proves each of its files, by digest and length', () => {
    const folder = temporaryFolder();
    const generation = join(folder, manifest.generation);
    mkdirSync(generation);
    for (const name of ['index.sqlite', 'master-key']) writeFileSync(join(generation, name), name);
    const describe = (name: string) => describeFile(generation, name);
    const whole = { ...manifest, index: describe('index.sqlite'), keys: [describe('master-key')] };
    expect(whole.index.sizeBytes).toBe(12);
    expect(() => proveFiles(folder, whole)).not.toThrow();
    const longer = { ...whole, index: { ...whole.index, sizeBytes: 13 } };
    expect(() => proveFiles(folder, longer)).toThrow(refused('index.sqlite is not what was'));
    writeFileSync(join(generation, 'master-key'), 'another0');
    expect(() => proveFiles(folder, whole)).toThrow(refused('master-key is not what was written'));
    const lost = { ...whole, keys: [{ ...describe('index.sqlite'), name: 'root-key.json' }] };
    expect(() => proveFiles(folder, lost)).toThrow(refused('root-key.json is missing'));
  });
});

describe('an index', () => {
  function openIn(folder: string) {
    return openSqlite(join(folder, 'index.sqlite'), { readOnly: false });
  }

  it('is refused where it is none, and where it is older than a check can read', async () => {
    const folder = temporaryFolder();
    expect(() => findStoredFolder(folder)).toThrow(refused('is no data folder'));
    const index = openIn(folder);
    expect(() => requireKnownIndex(index, 'here', true)).toThrow(
      refused('is no index of Quayside'),
    );
    await expect(backUp(folder, temporaryFolder(), 'share')).rejects.toEqual(
      refused('is no index of Quayside'),
    );
    migrate(index, INDEX_SCHEMA);
    expect(() => requireKnownIndex(index, 'here', false)).toThrow(refused('an older Quayside'));
    expect(() => requireKnownIndex(index, 'here', true)).not.toThrow();
    index.close();
  });

  it('is lost where there are blobs, and no index or one without a bucket', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    await expect(refuseLostIndex(stored.dataDir)).resolves.toBeUndefined();
    const folder = temporaryFolder();
    await expect(refuseLostIndex(folder)).resolves.toBeUndefined();
    const id = stored.core.ports.ids.blobId(stored.bucket.record().id);
    const file = blobPath(join(folder, 'blobs'), id);
    mkdirSync(file.folder, { recursive: true });
    writeFileSync(file.file, 'bytes');
    await expect(refuseLostIndex(folder)).rejects.toEqual(refused('missing or empty'));
    const index = openIn(folder);
    await expect(refuseLostIndex(folder)).rejects.toEqual(refused('missing or empty'));
    migrate(index, INDEX_SCHEMA);
    index.close();
    await expect(refuseLostIndex(folder)).rejects.toEqual(refused('missing or empty'));
  });
});

describe('blobs that are open for reading only', () => {
  it('are read by range, and refuse what is missing, too short or a write', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    const root = join(stored.dataDir, 'blobs');
    const blobs = createReadOnlyBlobs(root);
    const { blobIds } = await blobs.list({ prefix: '' as never, after: '', limit: 10 });
    const [id] = blobIds;
    if (id === undefined) throw new Error('Nothing was stored.');
    const bytes = readFileSync(blobPath(root, id).file);
    const range = { offsetBytes: 100, lengthBytes: 50 };
    expect(Buffer.from(await blobs.read(id, range)).equals(bytes.subarray(100, 150))).toBe(true);
    const opened = await new Response(await blobs.open(id, range)).arrayBuffer();
    expect(Buffer.from(opened).equals(bytes.subarray(100, 150))).toBe(true);

    const beyond = { offsetBytes: bytes.length - 10, lengthBytes: 11 };
    await expect(blobs.read(id, beyond)).rejects.toThrow('too short');
    const missing = blobs.read(stored.core.ports.ids.blobId(stored.bucket.record().id), range);
    await expect(missing).rejects.toMatchObject({
      code: 'InternalError',
      message: 'A blob could not be read.',
    });
    await expect(blobs.delete([id])).rejects.toThrow('reading only');
    expect(readFileSync(blobPath(root, id).file).length).toBe(bytes.length);
  });
});

// What a start refuses: a data folder whose master key is lost or another's, and blobs whose index
// is lost.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DataFolderError } from '../../../src/adapters/node/disk/data-folder.ts';
import { refuseLostIndex } from '../../../src/adapters/node/disk/lost-index.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { openMasterKeys } from '../../../src/adapters/node/process/master-key-record.ts';
import { parseConfig } from '../../../src/config.ts';
import { createKmsKey } from '../../../src/core/encryption/kms-keys.ts';
import { MASTER_KEYS } from '../../core/memory-core.ts';
import { runNodeProcess, startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, useNodeProcesses } from '../kit/platform-client.ts';
import { openStoredCore, putAll } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const hexKey = (fill: number) => new Uint8Array(32).fill(fill).toHex();
const idsWith = (dataDir: string, env: NodeJS.ProcessEnv = {}) =>
  openMasterKeys(dataDir, parseConfig(env)).map(({ id }) => id);

describe('the master key of a data folder', () => {
  it('is made once, for its owner only, and found again', () => {
    const dataDir = temporaryFolder();
    const made = idsWith(dataDir);
    expect(made).toHaveLength(1);
    expect(statSync(join(dataDir, 'master-key')).mode & 0o777).toBe(0o600);
    expect(idsWith(dataDir)).toEqual(made);
  });

  it('is not replaced when it is lost or another one, unless it is named as lost', () => {
    const dataDir = temporaryFolder();
    const [id = ''] = idsWith(dataDir);
    const path = join(dataDir, 'master-key');
    const text = readFileSync(path, 'utf8');
    for (const found of [null, `${hexKey(5)}\n`]) {
      if (found === null) rmSync(path);
      else writeFileSync(path, found);
      expect(() => idsWith(dataDir)).toThrow(DataFolderError);
      expect(() => idsWith(dataDir)).toThrow(
        new RegExp(`${id} is missing.*QUAYSIDE_WITHOUT_MASTER_KEYS=${id}`),
      );
      expect(existsSync(path)).toBe(found !== null);
      expect(() => idsWith(dataDir, { QUAYSIDE_WITHOUT_MASTER_KEYS: '00000000' })).toThrow(id);
    }
    writeFileSync(path, text);
    expect(idsWith(dataDir)).toEqual([id]);
    rmSync(path);
    const [other = ''] = idsWith(dataDir, { QUAYSIDE_WITHOUT_MASTER_KEYS: id });
    expect(other).not.toBe(id);
    // The one that was made in its place is needed from now on.
    rmSync(path);
    expect(() => idsWith(dataDir, { QUAYSIDE_WITHOUT_MASTER_KEYS: id })).toThrow(
      `${other} is missing`,
    );
  });

  it('is changed by a new one in front, and the old one may go when it is named', () => {
    const dataDir = temporaryFolder();
    const old = idsWith(dataDir, { QUAYSIDE_MASTER_KEY: hexKey(1) });
    const both = idsWith(dataDir, { QUAYSIDE_MASTER_KEY: `${hexKey(2)},${hexKey(1)}` });
    expect(both).toEqual([both[0], ...old]);
    expect(() => idsWith(dataDir, { QUAYSIDE_MASTER_KEY: hexKey(2) })).toThrow(
      `${old[0]} is missing`,
    );
    const without = { QUAYSIDE_MASTER_KEY: hexKey(2), QUAYSIDE_WITHOUT_MASTER_KEYS: `${old[0]}` };
    expect(idsWith(dataDir, without)).toEqual(both.slice(0, 1));
    expect(existsSync(join(dataDir, 'master-key'))).toBe(false);
  });

  it('may move from the file to the setting', () => {
    const dataDir = temporaryFolder();
    const made = idsWith(dataDir);
    const path = join(dataDir, 'master-key');
    const text = readFileSync(path, 'utf8').trim();
    rmSync(path);
    expect(idsWith(dataDir, { QUAYSIDE_MASTER_KEY: text })).toEqual(made);
  });

  it('is known from what it encrypted in a folder of before there was a record', async () => {
    const { core, dataDir } = await openStoredCore();
    await createKmsKey(core, 'a-key');
    rmSync(join(dataDir, 'master-key'));
    expect(() => idsWith(dataDir)).toThrow(`${MASTER_KEYS[0]?.id} is missing`);
  });

  it('is missed by the start of the program, which says what to do on one line', async () => {
    const dataDir = temporaryFolder();
    idsWith(dataDir);
    rmSync(join(dataDir, 'master-key'));
    const { exitCode, output } = await runNodeProcess({ QUAYSIDE_DATA_DIR: dataDir });
    expect([exitCode, output.trim().split('\n').length]).toEqual([1, 1]);
    expect(output).toMatch(/can't start: The master key [0-9a-f]{8} is missing/);
    expect(existsSync(join(dataDir, 'master-key'))).toBe(false);
    expect(existsSync(join(dataDir, 'root-key.json'))).toBe(false);
  });
});

it('a seed that can’t be read is named by its setting', async () => {
  const dataDir = temporaryFolder();
  const { exitCode, output } = await runNodeProcess({
    QUAYSIDE_DATA_DIR: dataDir,
    QUAYSIDE_SEED: join(dataDir, 'none'),
  });
  expect([exitCode, output]).toEqual([
    1,
    expect.stringMatching(/can't start: QUAYSIDE_SEED must be .*ENOENT/),
  ]);
});

describe('blobs without an index', () => {
  it('stop the start where the index was copied without its write-ahead log', async () => {
    const dataDir = temporaryFolder();
    const node = await startNodeProcess(dataDir);
    await expectOk(aws.fetch(`${node.url}/photos`, { method: 'PUT' }));
    await expectOk(aws.fetch(`${node.url}/photos/a`, { method: 'PUT', body: 'x'.repeat(40_000) }));
    await node.end('SIGKILL');
    const copied = temporaryFolder();
    for (const name of ['index.sqlite', 'master-key'])
      copyFileSync(join(dataDir, name), join(copied, name));
    cpSync(join(dataDir, 'blobs'), join(copied, 'blobs'), { recursive: true });
    const { exitCode, output } = await runNodeProcess({ QUAYSIDE_DATA_DIR: copied });
    expect(exitCode).toBe(1);
    expect(output).toMatch(/has blobs, but its index.sqlite is missing or empty/);
    // With its log it is whole.
    await refuseLostIndex(dataDir);
  });

  it('are left alone where there is no index, and none is made', async () => {
    const { dataDir, ...stored } = await openStoredCore();
    await putAll({ dataDir, ...stored }, ['a']);
    const copied = temporaryFolder();
    cpSync(join(dataDir, 'blobs'), join(copied, 'blobs'), { recursive: true });
    await expect(refuseLostIndex(copied)).rejects.toThrow(DataFolderError);
    expect(existsSync(join(copied, 'index.sqlite'))).toBe(false);
    writeFileSync(join(copied, 'index.sqlite'), '');
    await expect(refuseLostIndex(copied)).rejects.toThrow(DataFolderError);
  });

  it('are none in a new folder, and in one whose buckets have only inline bodies', async () => {
    const dataDir = temporaryFolder();
    await refuseLostIndex(dataDir);
    mkdirSync(join(dataDir, 'blobs'));
    await refuseLostIndex(dataDir);
    openSqlite(join(dataDir, 'index.sqlite'), { readOnly: false }).close();
    await refuseLostIndex(dataDir);
    expect(existsSync(join(dataDir, 'index.sqlite'))).toBe(true);
  });
});

// The Node platform on a real file system that fills up: with its own writes first, then with
// another program's.
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/adapters/node/disk/data-folder.ts';
import { type NodePorts, openNodePorts } from '../../../src/adapters/node/node-ports.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Core } from '../../../src/core/core.ts';
import { abortUpload } from '../../../src/core/multipart/abort-upload.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { createOperatorWork } from '../../../src/core/operator/operator-work.ts';
import { listDeliveries } from '../../../src/core/outbox/deliveries.ts';
import { createWebhook } from '../../../src/core/outbox/webhooks.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { key, openTestBucket, putBytes, readWhole, sampleBytes } from '../../core/memory-core.ts';
import { putPart, startUpload } from '../../core/multipart-kit.ts';
import { mountSmallDisk } from '../kit/small-disk.ts';

const MiB = 2 ** 20;
const DISK_MIB = 40;
const RESERVE_BYTES = 16 * MiB;

const disk = mountSmallDisk(DISK_MIB);
const reason = typeof disk === 'string' ? ` [${disk}]` : '';

describe.skipIf(typeof disk === 'string')(`a disk that fills up${reason}`, () => {
  const path = typeof disk === 'string' ? '' : disk.path;
  const dataDir = join(path, 'data');
  let platform: NodePorts | null = null;

  afterAll(async () => {
    await platform?.close(1000);
    if (typeof disk !== 'string') disk.unmount();
  });

  async function openPlatform() {
    const config = parseConfig({
      QUAYSIDE_DISK_RESERVE_BYTES: `${RESERVE_BYTES}`,
      QUAYSIDE_WEBHOOK_PRIVATE_TARGETS: 'on',
      QUAYSIDE_MASTER_KEY: 'ab'.repeat(32),
    });
    const log = createConsoleLog(systemClock, 'off');
    openDataFolder(dataDir).unlock();
    platform = await openNodePorts(config, {
      dataDir,
      log,
      onCrash: (error) => expect.unreachable(String(error)),
    });
    const core: Core = { ports: platform.ports, settings: config };
    return { core, watch: platform.disk, ready: platform.ports.readiness.notReady };
  }

  /** Another program takes all that is left. */
  function fillUp(): void {
    const file = join(path, 'other-program');
    for (let pieceBytes = MiB; pieceBytes >= 512; ) {
      try {
        writeFileSync(file, Buffer.alloc(pieceBytes), { flag: 'a' });
      } catch {
        pieceBytes /= 2;
      }
    }
  }

  it('a server refuses writes before it is full, deletes when it is, and recovers', async () => {
    const { core, watch, ready } = await openPlatform();
    const { webhook } = await createWebhook(core, ROOT_ACCOUNT.id, {
      url: 'http://127.0.0.1:9/',
      description: '',
      types: ['disk.*'],
      isEnabled: true,
    });
    const reports = createOperatorWork(core);
    const bucket = await openTestBucket(core);
    const upload = await startUpload(core, bucket, 'upload');
    await watch.attend(reports.diskCrossed);

    const kept: string[] = [];
    let failure: unknown = null;
    while (failure === null && kept.length < DISK_MIB) {
      const name = `key-${kept.length}`;
      failure = await putBytes(core, bucket, name, sampleBytes(MiB, kept.length)).then(
        () => {
          kept.push(name);
          return null;
        },
        (error: unknown) => error,
      );
    }
    expect(failure).toMatchObject({ code: 'StorageFull' });
    expect(kept.length).toBeGreaterThan(10);
    const { bsize, bavail } = statfsSync(path);
    expect(bsize * bavail).toBeGreaterThanOrEqual(RESERVE_BYTES / 2);
    const part = putPart(core, bucket, upload, 1, sampleBytes(MiB));
    await expect(part).rejects.toMatchObject({ code: 'StorageFull' });
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([]);

    fillUp();
    await watch.look();
    expect(ready()).toEqual(['disk-full']);
    const [first = '', second = '', ...others] = kept;
    const deleted = await deleteObjects(core, bucket, [{ key: key(first) }, { key: key(second) }]);
    expect(deleted.map(({ existed }) => existed)).toEqual([true, true]);
    await abortUpload(core, bucket, upload);
    for (const name of others.slice(0, 5)) {
      const body = await readWhole(core, await getObject(bucket, key(name)));
      expect(Buffer.compare(body, sampleBytes(MiB, kept.indexOf(name)))).toBe(0);
    }
    await expect(putBytes(core, bucket, 'late', sampleBytes(MiB))).rejects.toMatchObject({
      code: 'StorageFull',
    });

    writeFileSync(join(path, 'yet-another'), Buffer.alloc(5 * MiB));
    await watch.look();
    await watch.attend(reports.diskCrossed);
    await watch.attend(reports.diskCrossed);
    const page = { of: null, state: 'waiting', before: null, limit: 10 } as const;
    const { deliveries } = await listDeliveries(core, ROOT_ACCOUNT.id, webhook.id, page);
    expect(
      deliveries.map(({ type, payload }) => [type, JSON.parse(payload ?? '').data.percent]),
    ).toEqual([['disk.crossed', 85]]);

    rmSync(join(path, 'other-program'));
    await core.ports.blobStore.delete(
      (await core.ports.blobStore.list({ prefix: '', after: '', limit: 12 })).blobIds,
    );
    await watch.look();
    expect(ready()).toEqual([]);
    await putBytes(core, bucket, 'again', sampleBytes(MiB, 99));

    await watch.attend(reports.diskCrossed);
    await platform?.close(1000);
    fillUp();
    const restarted = await openPlatform();
    const versionNow = await restarted.core.ports.metadataIndex.call(
      bucket.record().name,
      'getVersion',
      {
        bucket: bucket.record(),
        key: key('again'),
        versionId: null,
      },
    );
    expect(versionNow).toMatchObject({ kind: 'object' });
    expect(restarted.ready()).toEqual(['disk-full']);
  });
});

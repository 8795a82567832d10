// A check and a scrub of more rows than they read at a time: each is looked at once, none is left
// out where a page or a phase ends.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { proverOf } from '../../../scripts/print-check.ts';
import { blobPath } from '../../../src/adapters/node/blobs/blob-path.ts';
import { checkFolder } from '../../../src/adapters/node/check/check-folder.ts';
import { createScrub } from '../../../src/adapters/node/scrub/scrub.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { parseConfig } from '../../../src/config.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import type { HurtReport, OperatorWork } from '../../../src/ports/operator-work.ts';
import { GRACE_SECONDS, putBytes, sampleBytes } from '../../core/memory-core.ts';
import { putPart, startUpload } from '../../core/multipart-kit.ts';
import { openStoredCore, type StoredCore } from '../kit/stored-core.ts';

/** More than a page of a check that reads bodies, and than some of a scrub. */
const ROWS = 203;
const FAST = 10_000_000_000;
const SETTINGS = parseConfig({});

let stored: StoredCore;
let lostFile: string;

beforeAll(async () => {
  stored = await openStoredCore();
  const { core } = stored;
  await setBucketSettings(core, stored.bucket, { versioning: 'enabled' });
  const bucket = await openBucket(core, stored.bucket.record().name, () => undefined);
  const names = Array.from({ length: ROWS }, (_, at) => `key${String(at).padStart(3, '0')}`);
  for (const seed of [1, 2])
    await Promise.all(names.map((name) => putBytes(core, bucket, name, sampleBytes(50, seed))));
  const upload = await startUpload(core, bucket, 'unfinished');
  for (let at = 1; at <= ROWS; at++) await putPart(core, bucket, upload, at, sampleBytes(100, at));
  const { segments } = await putPart(core, bucket, upload, ROWS, sampleBytes(100, 3));
  lostFile = blobPath(join(stored.dataDir, 'blobs'), segments[0]?.blobId ?? ('' as never)).file;
}, 120_000);

const check = () =>
  checkFolder(stored.dataDir, {
    graceSeconds: GRACE_SECONDS,
    settings: SETTINGS,
    makeProver: proverOf(SETTINGS),
  });

describe('many rows', () => {
  it('are all scrubbed once, wherever a pass is stopped', async () => {
    let proofs = 0;
    let stops = 0;
    let passes = 0;
    for (const stopAt of [50, 51, 52, 203, 204, 250, 406, 407, 600, 0]) {
      const stopping = new AbortController();
      const proveBody: OperatorWork['proveBody'] = async () => {
        proofs += 1;
        if (proofs - stops === stopAt) stopping.abort();
        return 'proved';
      };
      const work = { proveBody, objectHurt: async () => undefined };
      const scrub = createScrub(stored.dataDir, FAST, systemClock);
      await scrub.run(work, stopping.signal);
      if (stopping.signal.aborted) stops += 1;
      const counts = new Map(
        scrub.families().map(({ name, samples }) => [name, samples[0]?.value]),
      );
      passes += Number(counts.get('quayside_scrub_passes_total'));
    }
    // The proof that a stop cuts short says nothing, and is made again.
    expect([proofs - stops, stops, passes]).toEqual([3 * ROWS, 9, 1]);
  });

  it('are all checked once', async () => {
    expect(await check()).toMatchObject({
      isSound: true,
      objects: ROWS,
      olderVersions: ROWS,
      parts: ROWS,
      provedBodies: 3 * ROWS,
      unprovedBodies: 0,
      blobs: 3 * ROWS,
      blobBytes: 200 * ROWS,
    });
  });

  it('are named to the last where they are hurt', async () => {
    rmSync(lostFile);
    const { hurt } = await check();
    expect(hurt.map(({ key, partNumber, kind }) => [key, partNumber, kind])).toEqual([
      ['unfinished', ROWS, 'missing'],
    ]);
    const reports: HurtReport[] = [];
    const work = {
      proveBody: async () => 'proved' as const,
      objectHurt: async (report: HurtReport) => void reports.push(report),
    };
    const later = { nowMs: () => systemClock.nowMs() + 10 ** 9 };
    await createScrub(stored.dataDir, FAST, later).run(work, new AbortController().signal);
    expect(reports.map(({ key, kind }) => [key, kind])).toEqual([['unfinished', 'missing']]);
  });
});

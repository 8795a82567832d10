// Packing of small bodies: those that wait inline in the index are written as one
// blob, the pack, and one commit lets them lie there. A small file then costs what
// the store of blobs costs, and a PUT of one no write of that store. Called behind
// the PUT that fills a pack, and by the sweep for what that left undone.
//
// A crash before the commit leaves a blob that nobody reads, and the bodies inline:
// the next attempt writes the same bytes under the same id.
import type { BucketName } from '../../domain/nouns.ts';
import type { WaitingPack } from '../../ports/index-calls/pack-calls.ts';
import type { Core } from '../core.ts';
import { encodePack, identityOfPack } from './pack-bytes.ts';

type PackingCore = { readonly ports: Pick<Core['ports'], 'metadataIndex' | 'blobStore' | 'clock'> };

/** Packs of a bucket that one sweep writes: 1 GiB. The rest waits for the next. */
const PACKS_PER_SWEEP = 256;

/**
 * Writes a claimed pack, and lets its bodies lie there. Gives how many do; null: the
 * pack is not to be written any more. Errors: those of the ports; the pack waits on.
 * Cost: two index calls and one write of the store; 4 MiB in memory.
 */
export async function writePack(core: PackingCore, pack: WaitingPack): Promise<number | null> {
  const { blobStore, clock, metadataIndex } = core.ports;
  const { name } = pack.bucket;
  const content = await metadataIndex.call(name, 'readPack', pack);
  if (content === null) return null;
  if (content.bodies.length > 0)
    await blobStore.put(pack.blobId, encodePack(content), identityOfPack(name, content));
  const bodyIds = content.bodies.map(({ id }) => id);
  return metadataIndex.call(name, 'adoptPack', { ...pack, bodyIds, nowMs: clock.nowMs() });
}

/** Writes the packs of a bucket that are due, one after the other. */
export async function writeDuePacks(
  core: PackingCore,
  name: BucketName,
  stopping: AbortSignal | null,
): Promise<{ readonly packs: number; readonly bodies: number }> {
  const { clock, metadataIndex } = core.ports;
  const total = { packs: 0, bodies: 0 };
  while (total.packs < PACKS_PER_SWEEP && stopping?.aborted !== true) {
    const nowMs = clock.nowMs();
    const [pack] = await metadataIndex.call(name, 'claimPacks', { name, nowMs, limit: 1 });
    if (pack === undefined) break;
    total.packs += 1;
    total.bodies += (await writePack(core, pack)) ?? 0;
  }
  return total;
}

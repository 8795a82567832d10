// Pointers and gates near the reader: first this isolate's memory, fresh for seconds, then KV. KV holds what the bucket's
// Durable Object published; this file only reads it. Between requests it shares plain values, never a promise or stream.
//
// How old an answer can be: the memory tier's bound, plus KV's own delay (its cacheTtl here, up to 60 s to reach all
// places). Memory counts from when KV or the index answered.
import type { BucketGate, BucketName, ObjectKey, Pointer } from '../../ports/domain.ts';
import type { FillTicket, HotLookup, HotMetadata, HotRecord } from '../../ports/hot-metadata.ts';
import type { Log } from '../../ports/system.ts';
import type { MemoryHotMetadata } from '../shared/memory-hot-metadata.ts';
import {
  decodeGate,
  decodePointer,
  type GateRecord,
  gateName,
  type PointerRecord,
  pointerName,
} from './hot-records.ts';

/** Seconds for which a place of Cloudflare keeps what it read from KV; the least that KV allows. */
const KV_CACHE_TTL_SECONDS = 30;

/** `memory` must give nothing older than the configured bound. Cost of a cold look-up: one bulk read of KV. */
export function createKvHotMetadata(kv: KVNamespace, memory: MemoryHotMetadata, log: Log): HotMetadata {
  /** Asks KV for what memory lacks, in one call, and lets memory keep it. */
  async function ask(bucket: BucketName, key: ObjectKey, known: HotLookup, ticket: FillTicket): Promise<HotLookup> {
    const names = { gate: gateName(bucket), pointer: pointerName(bucket, key) };
    const wanted = known.gate === null ? [names.gate, names.pointer] : [names.pointer];
    let found: { gate: GateRecord | null; pointer: PointerRecord | null };
    try {
      const texts = await kv.get(wanted, { type: 'text', cacheTtl: KV_CACHE_TTL_SECONDS });
      found = { gate: decodeGate(texts.get(names.gate)), pointer: decodePointer(texts.get(names.pointer)) };
    } catch (cause) {
      log.error('kv-read-failed', { bucket, cause });
      return known;
    }
    const lookup = join(known, found);
    const { gate, pointer } = lookup;
    if (gate !== null && pointer !== null) {
      // What memory had already keeps its age: a fresh pointer must not make the gate younger.
      const ageSeconds = Math.max(gate.ageSeconds, pointer.ageSeconds);
      memory.fill(bucket, key, { gate: gate.value, pointer: pointer.value }, ticket, ageSeconds);
    }
    return lookup;
  }

  return {
    get(bucket, key) {
      const known = memory.get(bucket, key);
      const isComplete = known.gate !== null && (known.pointer !== null || !isOpen(known.gate.value));
      return isComplete ? known : ask(bucket, key, known, memory.ticket());
    },
    ticket: memory.ticket,
    fill: memory.fill,
    evict: memory.evict,
  };
}

/** Whether the bucket shows anybody anything; pointers of others are not published, so KV need not be asked. */
function isOpen(gate: BucketGate | null): boolean {
  return gate !== null && (gate.access.acl !== 'private' || gate.access.policyPublicPrefixes.length > 0);
}

/** Memory's gate, else KV's, with KV's pointer, which counts only for the life of the bucket that the gate names. */
function join(known: HotLookup, found: { gate: GateRecord | null; pointer: PointerRecord | null }): HotLookup {
  const gate: HotRecord<BucketGate> | null =
    known.gate ?? (found.gate === null ? null : { value: found.gate.gate, tier: 'kv', ageSeconds: 0 });
  if (gate === null) return { gate: null, pointer: null };
  if (gate.value === null) return { gate, pointer: { value: null, tier: gate.tier, ageSeconds: gate.ageSeconds } };
  const isOfThisLife = found.pointer?.bucketId === gate.value.bucketId;
  const pointer: HotRecord<Pointer> | null =
    found.pointer !== null && isOfThisLife ? { value: found.pointer.pointer, tier: 'kv', ageSeconds: 0 } : null;
  return { gate, pointer };
}

import type { BucketGate } from '../../ports/domain.ts';
import type { Meter } from '../../ports/system.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import type { BodyOrigin } from './cache-status.ts';

/**
 * Meters one public read that was answered with an object: the one event of both doors. `notes`: where the other door
 * than the hot one writes it down too. Cost: 20 ns.
 */
export function countRead(
  meter: Meter,
  gate: BucketGate | null,
  bytesOut: number,
  origin: BodyOrigin,
  notes: RequestNotes | null,
): void {
  if (notes !== null) {
    notes.bodyBytes = bytesOut;
    notes.bodyTier = origin;
  }
  meter.count({
    bucketId: gate?.bucketId ?? null,
    operationClass: 'B',
    bytesOut,
    tier: origin === 'index' || origin === 'none' ? 'memory' : origin,
  });
}

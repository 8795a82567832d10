import type { BucketGate } from '../../ports/domain.ts';
import type { Meter } from '../../ports/system.ts';
import type { BodyOrigin } from './cache-status.ts';

/** Meters one public read that was answered with an object: the one event of both doors. Cost: 20 ns. */
export function countRead(meter: Meter, gate: BucketGate | null, bytesOut: number, origin: BodyOrigin): void {
  meter.count({
    bucketId: gate?.bucketId ?? null,
    operationClass: 'B',
    bytesOut,
    tier: origin === 'index' || origin === 'none' ? 'memory' : origin,
  });
}

// Settings of delivery for tests that speak of few of them.
import type { DeliverySettings } from '../../../src/http/delivery/create-delivery.ts';

/** No domains, a short Cache-Control, bodies up to a megabyte compressed. */
export function deliverySettings(changes: Partial<DeliverySettings> = {}): DeliverySettings {
  return {
    baseDomain: null,
    websiteDomain: null,
    ownHosts: [],
    defaultCacheControl: 'max-age=1',
    compressionMaxBytes: 1_000_000,
    isServerTimingOn: false,
    region: 'auto',
    ...changes,
  };
}

// The one list of what delivery can do beyond sending an object as it is stored.
// Made once by create-delivery.ts. The order is the order of the policy: a feature
// refuses, chooses, admits and adds headers before those below it. A new feature is
// a file here and an entry in this list.

import type { TakeReceipt } from '../../../core/billing/receipts/take-receipt.ts';
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { bucketLogFeature } from './bucket-log.ts';
import { capsFeature } from './caps.ts';
import { compressedVariantsFeature } from './compressed-variants.ts';
import { encryptionFeature } from './encryption.ts';
import { expectedOwnerFeature } from './expected-owner.ts';
import { hotlinkFeature } from './hotlink.ts';
import { imagesFeature } from './images.ts';
import type { ReadFeature } from './read-feature.ts';
import { receiptsFeature } from './receipts.ts';
import { requestedHeadersFeature } from './requested-headers.ts';

export type FeatureOptions = {
  /** Largest object that goes out compressed, bytes; 0 for none. */
  readonly compressionMaxBytes: number;
  /** Null: there are no caps. */
  readonly caps: CapGuard | null;
  /** Null: there are no receipts. */
  readonly takeReceipt: TakeReceipt | null;
};

export function createReadFeatures(core: Core, options: FeatureOptions): readonly ReadFeature[] {
  const { caps, takeReceipt } = options;

  return [
    expectedOwnerFeature(),
    encryptionFeature(),
    hotlinkFeature(),
    imagesFeature(core, caps),
    compressedVariantsFeature(core, options),
    capsFeature(caps),
    receiptsFeature(takeReceipt),
    bucketLogFeature(),
    requestedHeadersFeature(),
  ];
}

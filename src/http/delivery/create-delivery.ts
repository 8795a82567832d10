// Puts delivery together: the list of features, the full path (deliver.ts), sites,
// the headers of unsigned reads of the S3 surface, and the fast path. Called by
// app.ts. All ways share one set of parts, so that they can't disagree.
import type { Decide } from '../../core/auth/decide.ts';
import type { TakeReceipt } from '../../core/billing/receipts/take-receipt.ts';
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { findCurrent, findCurrentOf } from '../../core/objects/find-current.ts';
import type { Domains } from '../address.ts';
import { createLinkParts, type LinkParts } from '../links/link-parts.ts';
import { createCacheStatus } from './cache-status.ts';
import { createDeliver, type Deliver, type DeliverFound } from './deliver.ts';
import { createAnswerAtOnce } from './fast-path/answer-at-once.ts';
import type { AnswerAtOnce } from './fast-path/fast-path.ts';
import { type FastPathCountsBySurface, newFastPathCounts } from './fast-path/fast-path-counts.ts';
import { createReadFeatures } from './features/all-features.ts';
import { createFeaturesOf } from './features/read-feature.ts';
import { createHeaderProfiles } from './header-profile.ts';
import { createObjectResponses } from './object-responses.ts';
import { createPreparedFor } from './prepared-headers.ts';
import { createPublicReader } from './public-reader.ts';
import { createSiteDelivery, type DeliverSite } from './site/deliver-site.ts';
import { createSiteRulesReader } from './site/site-rules.ts';
import { createUnsignedHeaders, type UnsignedHeaders } from './unsigned-headers.ts';

/** The domains are for the fast path, which reads its address itself. */
export type DeliverySettings = Domains & {
  /**
   * Cache-Control of public objects that have none of their own, nor an Expires.
   */
  readonly defaultCacheControl: string;
  /** Largest object that goes out compressed, bytes; 0 for none. */
  readonly compressionMaxBytes: number;
  /** Whether responses say where their time went. */
  readonly isServerTimingOn: boolean;
  /** The region, for policies that look at it. */
  readonly region: string;
};

export type Delivery = {
  readonly deliver: Deliver;
  readonly deliverSite: DeliverSite;
  /** For links, which find their objects themselves. */
  readonly deliverFound: DeliverFound;
  /** Headers of unsigned reads that the S3 surface answers. */
  readonly unsignedHeaders: UnsignedHeaders;
  /** The fast path of unsigned reads: answer-at-once.ts. */
  readonly answerAtOnce: AnswerAtOnce;
  readonly fastPathCounts: FastPathCountsBySurface;
};

/** `caps`, `takeReceipt` null: there are none. */
export function createDelivery(
  core: Core,
  settings: DeliverySettings,
  decide: Decide,
  caps: CapGuard | null = null,
  takeReceipt: TakeReceipt | null = null,
  links: LinkParts = createLinkParts(core),
): Delivery {
  const { isServerTimingOn, compressionMaxBytes } = settings;
  const features = createReadFeatures(core, { compressionMaxBytes, caps, takeReceipt });
  const featuresOf = createFeaturesOf(features);

  const cacheStatus = createCacheStatus(core.ports.tiers);
  const memoryHit = cacheStatus('memory', 'memory');
  const memoryMiss = cacheStatus('memory', 'bucket');
  const profiles = createHeaderProfiles();
  const preparedFor = createPreparedFor({ ...settings, memoryHit, memoryMiss });
  const reader = createPublicReader(core, decide, settings);
  const timing = { memoryHit, isServerTimingOn };
  const responses = createObjectResponses(core, { cacheStatus, featuresOf, ...timing });
  const shared = { profiles, preparedFor, featuresOf };
  const { deliver, deliverFound } = createDeliver(core, { reader, responses, ...shared });

  const rules = createSiteRulesReader(core);
  const fastPathCounts = newFastPathCounts();
  return {
    deliver,
    deliverFound,
    deliverSite: createSiteDelivery(core, {
      find: (bucket, key) => findCurrent(core, bucket, key),
      findAll: (bucket, keys) => findCurrentOf(core, bucket, keys),
      deliverFound,
      mayRead: reader.mayRead,
      profiles,
      rules,
      featuresOf,
    }),
    unsignedHeaders: createUnsignedHeaders(profiles, preparedFor),
    answerAtOnce: createAnswerAtOnce(core, {
      domains: settings,
      counts: fastPathCounts,
      rules,
      links,
      ...timing,
      ...shared,
    }),
    fastPathCounts,
  };
}

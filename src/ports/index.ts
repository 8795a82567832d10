// All ports together: what a platform hands to the app.
import type { BlobStore } from './blob-store.ts';
import type { BucketChanges } from './bucket-changes.ts';
import type { HotMetadata, MetadataTier } from './caches/hot-metadata.ts';
import type { HotShares } from './caches/hot-shares.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { DerivedBodies } from './derived.ts';
import type { Directory } from './directory.ts';
import type { DocumentFonts } from './document-fonts.ts';
import type { BodyTier, EdgeCache } from './edge-cache.ts';
import type { Ledger } from './ledger.ts';
import type { MetadataIndex } from './metadata-index.ts';
import type { Meter } from './metering.ts';
import type { MetricSource } from './metrics.ts';
import type { WebhookSender } from './outbox.ts';
import type { Readiness } from './readiness.ts';
import type { Background, Clock, Ids, LineSink, Log, SteadyClock } from './system.ts';
import type { TxtRecords } from './txt-records.ts';
import type { UsagePush } from './usage-push.ts';

/** Everything that the app needs from the platform it runs on. */
export type Ports = {
  readonly blobStore: BlobStore;
  readonly metadataIndex: MetadataIndex;
  readonly bucketChanges: BucketChanges;
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly hotMetadata: HotMetadata;
  readonly hotShares: HotShares;
  readonly edgeCache: EdgeCache;
  readonly derived: DerivedBodies;
  /**
   * The tiers that this platform has, nearest to the reader first; Cache-Status
   * names these.
   */
  readonly tiers: {
    readonly metadata: readonly MetadataTier[];
    readonly body: readonly BodyTier[];
  };
  readonly clock: Clock;
  /** Null: the platform has none. */
  readonly steadyClock: SteadyClock | null;
  readonly ids: Ids;
  readonly background: Background;
  readonly log: Log;
  /** Where the access log goes; null: there is none. */
  readonly accessLog: LineSink | null;
  readonly meter: Meter;
  readonly metrics: MetricSource;
  readonly readiness: Readiness;
  /** Where usage is reported to outside; null: nowhere. */
  readonly usagePush: UsagePush | null;
  readonly webhookSender: WebhookSender;
  readonly txtRecords: TxtRecords;
  /** Fonts for bills in other scripts than Latin; null: the platform has none. */
  readonly documentFonts: DocumentFonts | null;
  readonly consoleFiles: ConsoleFiles;
};

// What every use case of core receives: the ports of the platform, and the settings
// of core. Made at the start of the app.
import type { PutTotals } from '../domain/billing/put-totals.ts';
import type { BucketLocation } from '../domain/locations/bucket-locations.ts';
import type { AccessKey } from '../domain/nouns.ts';
import type { UploadRows } from '../domain/uploads/upload-rows.ts';
import type { Ports } from '../ports/index.ts';
import type { MasterKeys } from './encryption/master-keys.ts';
import type { WebhookSettings } from './outbox/webhook-settings.ts';

/**
 * Settings and limits of core, from the configuration; limits that S3 fixes are in
 * limits.ts.
 */
export type CoreSettings = {
  /** Cache-Control of public objects that have none of their own, nor an Expires. */
  readonly defaultCacheControl: string;
  /** Bodies up to this many bytes are stored in the index row instead of a blob. */
  readonly inlineBodyMaxBytes: number;
  /**
   * Seconds for which a blob that nothing references stays readable: longer than
   * any stale pointer or download.
   */
  readonly graceSeconds: number;
  /** The length of a day of lifecycle rules, seconds; 86,400 except in tests. */
  readonly lifecycleDaySeconds: number;
  /** A call to a tier that takes longer has failed, milliseconds. */
  readonly tierLimitMs: number;
  /**
   * Smallest object that a lifecycle rule without sizes moves to another class,
   * bytes.
   */
  readonly transitionMinBytes: number;
  /**
   * Hours without a new part after which an unfinished upload is aborted; 0: never.
   */
  readonly staleUploadHours: number;
  /** The format of new uploads' rows. Absent: UPLOAD_ROWS; only tests and benches set it. */
  readonly uploadRows?: UploadRows;
  /** When totals count PUTs. Absent: PUT_TOTALS; only tests and benches set it. */
  readonly putTotals?: PutTotals;
  /**
   * Hosts of the service itself: neither they nor their sub-domains can be bound to
   * a bucket.
   */
  readonly ownHosts: readonly string[];
  /**
   * Whether others than the root account may bind hosts: the operator has set the
   * own hosts.
   */
  readonly accountsMayBindHosts: boolean;
  /** Whether accounts prove by DNS that a host is theirs before they bind it. */
  readonly requiresHostProof: boolean;
  /** Most objects that one ZIP file may have. */
  readonly zipMaxObjects: number;
  /**
   * Calls to the platform that one request may make; Infinity where there is no
   * limit.
   */
  readonly subrequestsMax: number;
  /** The keys that the server wraps other keys with, newest first. */
  readonly masterKeys: MasterKeys;
  /**
   * Where the index of a new bucket lives that nobody chose a location for; `near`:
   * near who makes it. Null or absent: the platform has no locations.
   */
  readonly bucketLocation?: BucketLocation | 'near' | null;
  /** Access keys of further accounts, from the settings. */
  readonly seed: readonly AccessKey[];
  /** The rate card of accounts without one of their own. */
  readonly rateCardId: string;
  /** The issuer of bills, as invoices show it. */
  readonly invoiceIssuer: string;
  /** Hours after its end that a month is closed. */
  readonly billingCloseHours: number;
  /** Ids of KMS keys that are made at their first use. */
  readonly seededKmsKeys: readonly string[];
  readonly webhooks: WebhookSettings;
};

/** The ports and settings of every use case. */
export type Core = { readonly ports: Ports; readonly settings: CoreSettings };

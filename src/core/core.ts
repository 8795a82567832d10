// What every use case of core gets: the ports of the home, and the settings that core goes by. Made
// where the app begins.
import type { AccessKey } from '../domain/nouns.ts';
import type { Ports } from '../ports/index.ts';
import type { MasterKeys } from './encryption/master-keys.ts';
import type { WebhookSettings } from './outbox/webhook-settings.ts';

/**
 * The limits that core applies, from the configuration; everything fixed by S3 is in
 * core/limits.ts.
 */
export type CoreSettings = {
  /** Bodies up to this many bytes stand in the index row instead of a blob. */
  readonly inlineBodyMaxBytes: number;
  /**
   * Seconds for which a blob that nothing references stays readable: longer than any stale pointer
   * or download.
   */
  readonly graceSeconds: number;
  /** How long a day of lifecycle rules is, seconds; 86,400 but for tests. */
  readonly lifecycleDaySeconds: number;
  /** A port that says nothing for so long has failed, milliseconds. */
  readonly tierLimitMs: number;
  /**
   * Smallest object that a lifecycle moves to another class, bytes, where its rule says nothing of
   * sizes.
   */
  readonly transitionMinBytes: number;
  /** Hours without a new part after which an unfinished upload is given up; 0: never. */
  readonly staleUploadHours: number;
  /** Hosts of the service itself, which no bucket can be bound to; nor to what is below them. */
  readonly ownHosts: readonly string[];
  /**
   * Whether others than the root account may bind hosts: the operator has said which are the
   * service's own.
   */
  readonly accountsMayBindHosts: boolean;
  /** Whether accounts prove by DNS that a host is theirs before they bind it. */
  readonly requiresHostProof: boolean;
  /** Most objects that one ZIP file may have. */
  readonly zipMaxObjects: number;
  /** Calls of the platform that one request may make; Infinity where nobody counts them. */
  readonly subrequestsMax: number;
  /** The keys that the server wraps others with, newest first. */
  readonly masterKeys: MasterKeys;
  /** Access keys of further accounts, which the settings name. */
  readonly seed: readonly AccessKey[];
  /** The rate card of accounts that have no other. */
  readonly rateCardId: string;
  /** Who bills, as it stands on invoices. */
  readonly invoiceIssuer: string;
  /** Hours after its end that a month is closed. */
  readonly billingCloseHours: number;
  /** Ids of named keys that are made when they are first wanted. */
  readonly seededNamedKeys: readonly string[];
  readonly webhooks: WebhookSettings;
};

/** What every use case works with. */
export type Core = { readonly ports: Ports; readonly settings: CoreSettings };

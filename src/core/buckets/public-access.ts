// Opens a prefix of a bucket to strangers, takes that back, and says before what it
// would mean: how much is opened, which names look as if nobody meant them, and what
// it may cost at worst. Called by the JSON API.
import type { BucketAccess, PublicAccessBlock } from '../../domain/bucket-access.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketRecord, ObjectSummary } from '../../domain/nouns.ts';
import { canBePublic, everyoneMayRead } from '../../domain/pointer.ts';
import { DAY_MS } from '../../domain/time.ts';
import { withPublicReads } from '../auth/public-reads.ts';
import { makeInvoice } from '../billing/invoices/invoice.ts';
import { type BillingMonth, monthOf } from '../billing/month.ts';
import { findAccountCard } from '../billing/prices/account-card.ts';
import type { RateCard } from '../billing/prices/rate-card.ts';
import type { Core } from '../core.ts';
import { measurePrefixes } from '../key-jobs/measure-prefixes.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { findInternalNames } from './internal-names.ts';
import {
  type PublicKind,
  withoutPublicStatements,
  withPublicStatements,
} from './public-statements.ts';
import { checkPolicy } from './set-policy.ts';

/** Pages of names that a preview looks at. Ours: some 10,000 names, ten reads. */
const SCANNED_PAGES_MAX = 10;
/** Objects whose URLs a preview shows. */
const SAMPLES_MAX = 5;
/** Names in a preview that look internal. */
const INTERNAL_MAX = 20;

/** The rate of the worst case: one client at 1 Gbit/s, bytes a second. */
export const WORST_BYTES_PER_SECOND = 125_000_000;
/** Days of the worst case. */
export const WORST_DAYS = 30;
const SECOND_MS = 1000;
/** Smallest object that the worst case reads over and over, bytes: an estimate. */
const WORST_OBJECT_MIN_BYTES = 1024;

/** The switches that stop a public policy. */
const STOPPING = [
  'blockPublicPolicy',
  'restrictPublicBuckets',
] as const satisfies readonly (keyof PublicAccessBlock)[];
type StoppingSwitch = (typeof STOPPING)[number];

/** What opening a prefix changes: the policy, and the switches that would stop it. */
export type Opening = {
  readonly policyJson: string;
  /** Switches of the bucket's block that have to go off, and are named to people. */
  readonly lifted: readonly StoppingSwitch[];
  /** The access of the bucket afterwards. */
  readonly after: BucketAccess;
};

/** Plans the opening of a prefix. InvalidInput. Pure. */
export function planOpening(record: BucketRecord, prefix: string, kind: PublicKind): Opening {
  const { access, name } = record;
  const block = access.publicAccessBlock;
  const lifted = STOPPING.filter((setting) => block?.[setting] === true);
  const policyJson = withPublicStatements(access.policyJson, name, prefix, kind);
  const publicAccessBlock = block && {
    ...block,
    ...Object.fromEntries(lifted.map((setting) => [setting, false])),
  };
  const after = withPublicReads(record, { ...access, policyJson, publicAccessBlock });
  return { policyJson, lifted, after };
}

/** Opens a prefix. Errors: those of checkPolicy and planOpening. Cost: a commit. */
export async function openPrefix(
  bucket: BucketHandle,
  prefix: string,
  kind: PublicKind,
): Promise<Pick<Opening, 'lifted'>> {
  let lifted: Opening['lifted'] = [];
  await bucket.call('setBucketAccess', (record) => {
    const opening = planOpening(record, prefix, kind);
    checkPolicy({ name: record.name, access: opening.after }, opening.policyJson);
    lifted = opening.lifted;
    return { access: opening.after };
  });
  return { lifted };
}

/**
 * Takes the statements of a prefix away, and nothing else. NoSuchBucketPolicy: there
 * are none. Cost: a commit.
 */
export async function closePrefix(bucket: BucketHandle, prefix: string): Promise<void> {
  await bucket.call('setBucketAccess', (record) => {
    const policyJson = withoutPublicStatements(record.access.policyJson, prefix);
    if (policyJson === undefined) {
      throw new StorageError('NoSuchBucketPolicy', {
        detail: 'The policy has no statement that the console made for this prefix.',
      });
    }
    return { access: withPublicReads(record, { ...record.access, policyJson }) };
  });
}

/** The cost of one client that reads for a month at 1 Gbit/s, by the account's card. */
export type WorstCase = {
  readonly bytes: bigint;
  readonly requests: bigint;
  readonly costMicro: bigint;
  readonly card: RateCard;
};

export type OpeningPreview = {
  /** Null while a very large bucket is counted for the first time. */
  readonly size: { readonly objects: number; readonly bytes: number } | null;
  /** Objects that strangers could read then. */
  readonly samples: readonly ObjectSummary[];
  readonly internalNames: readonly string[];
  /** Whether every name below the prefix was looked at. */
  readonly isScanComplete: boolean;
  readonly worstCase: WorstCase;
};

/** Previews an opening. Cost: up to twelve index reads. */
export async function previewOpening(
  core: Core,
  bucket: BucketHandle,
  prefix: string,
  { after }: Opening,
): Promise<OpeningPreview> {
  const sizes = await measurePrefixes(core, bucket, [prefix]);
  const size = sizes?.[0] ?? null;
  const scan = await scanNames(bucket, prefix, after);
  const card = await findAccountCard(core, bucket.record().ownerId);
  const averageBytes = size === null || size.objects === 0 ? 0 : size.bytes / size.objects;
  const period = monthOf(core.ports.clock.nowMs());
  return { size, ...scan, worstCase: worstCaseOf(card, averageBytes, period) };
}

async function scanNames(
  bucket: BucketHandle,
  prefix: string,
  after: BucketAccess,
): Promise<Pick<OpeningPreview, 'samples' | 'internalNames' | 'isScanComplete'>> {
  const samples: ObjectSummary[] = [];
  const internalNames: string[] = [];
  let position = '';
  for (let pages = 0; pages < SCANNED_PAGES_MAX; pages++) {
    const page = await bucket.call('listObjects', {
      prefix,
      delimiter: '',
      after: position,
      maxKeys: LIST_MAX_KEYS,
    });
    const opened = page.objects.filter((object) => isOpen(after, object));
    samples.push(...opened.slice(0, SAMPLES_MAX - samples.length));
    internalNames.push(...findInternalNames(opened, INTERNAL_MAX - internalNames.length));
    if (!page.isTruncated) return { samples, internalNames, isScanComplete: true };
    position = page.lastName ?? '';
  }
  return { samples, internalNames, isScanComplete: false };
}

/**
 * Whether strangers can read an object then, as delivery decides it. What only the
 * policy can decide with a request in hand counts as open where it may be.
 */
function isOpen(after: BucketAccess, { key, ownerId }: ObjectSummary): boolean {
  const decision = everyoneMayRead(after, key, { ownerId, isPublicByAcl: false });
  return decision === 'yes' || (decision === 'ask' && canBePublic(after, key));
}

/** Prices the worst case by a card: bytes from the store, and a request per object. */
export function worstCaseOf(card: RateCard, averageBytes: number, period: BillingMonth): WorstCase {
  const seconds = (WORST_DAYS * DAY_MS) / SECOND_MS;
  const bytes = BigInt(WORST_BYTES_PER_SECOND) * BigInt(seconds);
  const objectBytes = Math.max(WORST_OBJECT_MIN_BYTES, Math.round(averageBytes));
  const requests = bytes / BigInt(objectBytes);
  const usage = new Map([
    ['egress/bucket', bytes],
    ['class-b/STANDARD', requests],
  ] as const);
  return { bytes, requests, card, costMicro: makeInvoice(usage, card, period).totalMicro };
}

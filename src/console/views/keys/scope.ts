// What a key may do, between three forms: the boxes of the form, the scope of the
// API, and words.
import type { Item } from 'quayside/client';
import { language } from '../../app/preferences.ts';
import { endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';

export type AccessKey = Item<'GET /access-keys'>;
export type Scope = AccessKey['scope'];

/** The rows of the matrix; `settings` is all else that S3 can do with a bucket. */
export const ACTS = ['read', 'write', 'list', 'delete'] as const;
export type Act = (typeof ACTS)[number];

/**
 * Actions of S3 for each row. Writing leaves out ACLs and retention, deleting leaves
 * out versions: neither opens anything to strangers, nor loses it for good.
 */
const ACTIONS: Readonly<Record<Act, readonly string[]>> = {
  read: ['s3:GetObject*'],
  write: [
    's3:PutObject',
    's3:PutObjectTagging',
    's3:AbortMultipartUpload',
    's3:ListMultipartUploadParts',
  ],
  list: ['s3:ListBucket*', 's3:GetBucketLocation', 's3:ListAllMyBuckets'],
  delete: ['s3:DeleteObject', 's3:DeleteObjectTagging'],
};

export type KeyForm = {
  readonly name: string;
  /** Whether it may sign in here too; it then has no limits. */
  readonly signsIn: boolean;
  /** null: all buckets, also those that are made later. */
  readonly buckets: readonly string[] | null;
  readonly prefix: string;
  /** null: everything that S3 can do. */
  readonly acts: readonly Act[] | null;
  /** Addresses and ranges that were typed, between commas or blanks. */
  readonly addresses: string;
  /** ISO time, or null: it has no end. */
  readonly expiresAt: string | null;
};

export const splitAddresses = (typed: string): readonly string[] =>
  typed.split(/[\s,;，；、]/).filter((part) => part !== '');

/** What the API takes; null: a key without limits, which may sign in. */
export function scopeOf({ signsIn, buckets, prefix, acts, addresses }: KeyForm): Scope {
  if (signsIn) return null;
  const sourceIps = splitAddresses(addresses);
  return {
    buckets: buckets === null ? null : [...buckets],
    prefixes: prefix === '' ? null : [prefix],
    actions: acts === null ? null : acts.flatMap((act) => ACTIONS[act]),
    sourceIps: sourceIps.length === 0 ? null : [...sourceIps],
  };
}

/** The rows that a scope has, and its actions that belong to none. */
export function actsOf(scope: Scope): { acts: readonly Act[] | null; others: readonly string[] } {
  const actions = scope?.actions ?? null;
  if (actions === null) return { acts: null, others: [] };
  const acts = ACTS.filter((act) => ACTIONS[act].every((action) => actions.includes(action)));
  const known = new Set(acts.flatMap((act) => ACTIONS[act]));
  return { acts, others: actions.filter((action) => !known.has(action)) };
}

export type Line = { readonly kind: 'may' | 'not' | 'when'; readonly text: string };

/** What a key may do, one sentence a line. */
export function linesOf(key: Pick<AccessKey, 'scope' | 'role' | 'expiresAt'>): readonly Line[] {
  const { scope, role, expiresAt } = key;
  const texts = t().keys;
  const lines: Line[] = [{ kind: 'may', text: mayText(scope) }];
  const { acts } = actsOf(scope);
  const missing = acts === null ? [] : ACTS.filter((act) => !acts.includes(act));
  if (role !== null) lines.push({ kind: 'may', text: texts.signsIn(t().settings.roles[role]) });
  const ips = scope?.sourceIps ?? null;
  if (ips !== null) lines.push({ kind: 'may', text: texts.fromOnly(listOf(ips)) });
  if (acts !== null) {
    const nots = [...missing.map((act) => texts.acts[act]), texts.changeSettings];
    lines.push({ kind: 'not', text: texts.mayNot(listOf(nots, 'disjunction')) });
  }
  if (role === null) lines.push({ kind: 'not', text: texts.notSignIn });
  const end = expiresAt === null ? texts.noEnd : texts.endsOn(endTime(expiresAt));
  return [...lines, { kind: 'when', text: end }];
}

/** The scope as one sentence: `Can read and list below assets/site/`. */
export function mayText(scope: Scope): string {
  const texts = t().keys;
  const { acts, others } = actsOf(scope);
  const words = [...(acts ?? []).map((act) => texts.acts[act]), ...others];
  const what = acts === null ? texts.everything : listOf(words);
  return texts.may(what, whereText(scope));
}

function whereText(scope: Scope): string {
  const texts = t().keys;
  const buckets = scope?.buckets ?? null;
  const prefixes = scope?.prefixes ?? null;
  if (buckets === null && prefixes === null) return texts.inAll;
  if (buckets === null) return texts.belowInAll(listOf(prefixes ?? []));
  if (prefixes === null) return texts.inBuckets(listOf(buckets));
  return texts.below(
    listOf(buckets.flatMap((bucket) => prefixes.map((prefix) => `${bucket}/${prefix}`))),
  );
}

/** `a, b and c`, in the language that is shown. */
export function listOf(
  words: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  const tag = language.value === 'zh' ? 'zh-CN' : 'en-GB';
  return new Intl.ListFormat(tag, { type }).format(words);
}

/** The first request that a key can make. */
export function firstOf(scope: Scope): 'put' | 'list' | 'get' {
  const { acts } = actsOf(scope);
  if (acts === null || acts.includes('write')) return 'put';
  return acts.includes('list') ? 'list' : 'get';
}

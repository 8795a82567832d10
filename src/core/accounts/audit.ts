// The audit log: an entry before a change is made, its outcome afterwards
// (write-ahead). A crash in between leaves the entry without an outcome; a refused
// change leaves none. Both surfaces that change settings call it: the JSON API and
// S3.
import type { AuditEntry } from '../../domain/account-records.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';

/** Retention of entries, milliseconds: a year and a month. */
export const AUDIT_KEPT_MS = 400 * DAY_MS;
/**
 * Most entries of an account: a change every half an hour of those 400 days. With
 * details of 2 KB they take 95 MB of the directory (measured 2026-11, SQLite's
 * pages and indexes included; one more costs 90 µs then), with the longest twice
 * that; it has 10 GB on Cloudflare. Source:
 * https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const ENTRIES_MAX = 20_000;
/** Longest detail of an entry, characters. Ours. */
const DETAIL_MAX_LENGTH = 2048;
/** Longest target of an entry, characters: a bucket, and a key of 1,024 bytes. */
const TARGET_MAX_LENGTH = 1200;
/** Names of fields whose values never get into the log. */
const SECRET_FIELD = /secret|password|token|credential|signature|privatekey|response/i;

/** A change when it begins. */
export type AuditedChange = Omit<AuditEntry, 'id' | 'atMs' | 'status'>;

/** The outcome of a change. */
export type AuditedEnd = {
  /** The HTTP status of its response; null: it was refused. */
  readonly status: number | null;
  /** What was sent, where that is only known now. */
  readonly detail?: string;
  /**
   * A second log for the entry: of the owner of what was changed, where another
   * account did it.
   */
  readonly alsoFor: AccountId | null;
};

export type OpenEntry = {
  /** Records the outcome; never rejects: what can't be stored is logged. */
  end(end: AuditedEnd): Promise<void>;
};

/**
 * Records that a change begins. Cost: a commit of the directory, and another for
 * its end.
 */
export async function beginAudit(core: Core, change: AuditedChange): Promise<OpenEntry> {
  const { directory, clock, ids, log } = core.ports;
  const atMs = clock.nowMs();
  const retention = { keepFromMs: atMs - AUDIT_KEPT_MS, keepMax: ENTRIES_MAX };
  const target = change.target.slice(0, TARGET_MAX_LENGTH);
  const entry = { ...change, target, id: ids.recordId(), atMs, status: null };
  await directory.call('addAudit', { entry, ...retention });
  return {
    async end({ status, detail, alsoFor }) {
      const { id, accountId, requestId } = entry;
      const outcome = detail === undefined ? { status } : { status, detail };
      try {
        await directory.call('endAudit', { id, accountId, ...outcome });
        if (status === null || alsoFor === null || alsoFor === accountId) return;
        const ownersEntry = { ...entry, ...outcome, accountId: alsoFor };
        await directory.call('addAudit', { entry: ownersEntry, ...retention });
      } catch (cause) {
        log.error('audit-end-not-kept', { requestId, cause });
      }
    },
  };
}

/** Records a change that has happened. */
export async function addAudited(core: Core, change: AuditedChange, status: number): Promise<void> {
  const { directory, clock, ids } = core.ports;
  const atMs = clock.nowMs();
  const target = change.target.slice(0, TARGET_MAX_LENGTH);
  const entry = { ...change, target, id: ids.recordId(), atMs, status };
  await directory.call('addAudit', {
    entry,
    keepFromMs: atMs - AUDIT_KEPT_MS,
    keepMax: ENTRIES_MAX,
  });
}

/**
 * The detail of an entry: the body without the secrets of its JSON; '' for one that
 * is no text.
 */
export function auditDetail(body: Uint8Array | null): string {
  if (body === null || body.length === 0) return '';
  const sent = textOf(body);
  const text = withoutSecrets(sent) ?? sent;
  return text.length <= DETAIL_MAX_LENGTH ? text : `${text.slice(0, DETAIL_MAX_LENGTH)}…`;
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return '';
  }
}

/** The JSON without the values of secret fields; null: it is no JSON. */
function withoutSecrets(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      SECRET_FIELD.test(name) ? '…' : value,
    );
  } catch {
    return null;
  }
}

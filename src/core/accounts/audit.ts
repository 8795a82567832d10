// The audit log: an entry before a change is made, how it ended after it. So a crash in between
// leaves the entry, with an unknown end; what was refused changed nothing and leaves none. Both
// surfaces that change settings come here: the JSON API and S3.
import type { AuditEntry } from '../../domain/account-records.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';

/** How long entries are kept, milliseconds: a year and a month. */
export const AUDIT_KEPT_MS = 400 * DAY_MS;
/**
 * Entries that an account keeps: a change every half an hour of those 400 days. With details of 2
 * KB they take 95 MB of the directory (measured 2026-11, SQLite's pages and indexes included; one
 * more costs 90 µs then), with the longest twice that; it has 10 GB on Cloudflare. Source:
 * https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const KEPT_ENTRIES = 20_000;
const DETAIL_MAX_LENGTH = 2048;
const TARGET_MAX_LENGTH = 1200;
/** Fields whose values never get into the log, whatever they are in. */
const SECRET_FIELD = /secret|password|token|credential|signature|privatekey|response/i;

/** What is known of a change when it begins. */
export type AuditedChange = Omit<AuditEntry, 'id' | 'atMs' | 'status'>;

/** How a change ended. */
export type AuditedEnd = {
  /** The HTTP status of its answer; null: it was refused. */
  readonly status: number | null;
  /** What was sent, where that is only known now. */
  readonly detail?: string;
  /** Whose log shall have it too: the owner of what was changed, where somebody else did it. */
  readonly alsoFor: AccountId | null;
};

export type OpenEntry = {
  /** Never rejects: what can't be kept is logged. */
  end(end: AuditedEnd): Promise<void>;
};

/** Keeps that a change begins. Cost: a commit of the directory, and another for its end. */
export async function beginAudit(core: Core, change: AuditedChange): Promise<OpenEntry> {
  const { directory, clock, ids, log } = core.ports;
  const atMs = clock.nowMs();
  const kept = { keepFromMs: atMs - AUDIT_KEPT_MS, keepMax: KEPT_ENTRIES };
  const target = change.target.slice(0, TARGET_MAX_LENGTH);
  const entry = { ...change, target, id: ids.recordId(), atMs, status: null };
  await directory.call('addAudit', { entry, ...kept });
  return {
    async end({ status, detail, alsoFor }) {
      const { id, accountId, requestId } = entry;
      try {
        await directory.call('endAudit', {
          id,
          accountId,
          status,
          ...(detail === undefined ? {} : { detail }),
        });
        if (status === null || alsoFor === null || alsoFor === accountId) return;
        const ended = {
          ...entry,
          accountId: alsoFor,
          status,
          ...(detail === undefined ? {} : { detail }),
        };
        await directory.call('addAudit', { entry: ended, ...kept });
      } catch (cause) {
        log.error('audit-end-not-kept', { requestId, cause });
      }
    },
  };
}

/** Keeps something that has happened. */
export async function addAudited(core: Core, change: AuditedChange, status: number): Promise<void> {
  const { directory, clock, ids } = core.ports;
  const atMs = clock.nowMs();
  const target = change.target.slice(0, TARGET_MAX_LENGTH);
  const entry = { ...change, target, id: ids.recordId(), atMs, status };
  await directory.call('addAudit', {
    entry,
    keepFromMs: atMs - AUDIT_KEPT_MS,
    keepMax: KEPT_ENTRIES,
  });
}

/** What was sent, without the secrets of JSON; '' for nothing and for what is no text. */
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

/** Null: it is no JSON. */
function withoutSecrets(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      SECRET_FIELD.test(name) ? '…' : value,
    );
  } catch {
    return null;
  }
}

// Writes the audit log: an entry before a change is made, how it ended after it. So a crash in between leaves the entry, with
// an unknown end; what was refused changed nothing and leaves none.
import type { ApiCaller } from '../core/accounts/permissions.ts';
import type { AuditEntry } from '../ports/account-records.ts';
import type { Session } from '../ports/accounts.ts';
import type { ApiCall, SignedInCall } from './context.ts';
import { isOurFault } from './problem.ts';
import { sourceOf } from './source-of.ts';

/** Changes are kept that long, milliseconds: a year and a month. */
const KEPT_MS = 400 * 24 * 3_600_000;
const DETAIL_MAX_LENGTH = 2048;
const TARGET_MAX_LENGTH = 1200;
/** Fields whose values never get into the log, whatever they are in. */
const SECRET_FIELD = /secret|password|token|credential|signature|privatekey|response/i;

/** Runs a change of that caller; `action` is its name in the document. Cost: two calls of the directory. */
export async function withAudit(
  call: SignedInCall,
  action: string,
  run: () => Promise<{ readonly status: number }>,
): Promise<void> {
  const { core, caller, requestId } = call;
  const { directory, clock, log } = core.ports;
  const entry = newEntry(call, caller, action);
  const keepFromMs = clock.nowMs() - KEPT_MS;
  await directory.call('addAudit', { entry, keepFromMs });
  const end = async (status: number | null) => {
    const { id, accountId } = entry;
    try {
      await directory.call('endAudit', { id, accountId, status });
      const other = call.audit.accountId;
      if (status === null || other === null || other === accountId) return;
      // The operator changed something of another account, whose owner shall see it too.
      await directory.call('addAudit', { entry: { ...entry, accountId: other, status }, keepFromMs });
    } catch (cause) {
      log.error('audit-end-not-kept', { requestId, cause });
    }
  };
  try {
    await end((await run()).status);
  } catch (error) {
    // A fault of ours may have come after the change: then the entry stays, its end unknown.
    if (!isOurFault(error)) await end(null);
    throw error;
  }
}

/** Notes that somebody has signed in. */
export async function auditSignIn(call: ApiCall, session: Session, action: string): Promise<void> {
  const { directory, clock } = call.core.ports;
  const caller: ApiCaller = { ...session, scopes: null, by: { kind: 'session', id: session.id } };
  const entry = { ...newEntry(call, caller, action), status: 201 };
  await directory.call('addAudit', { entry, keepFromMs: clock.nowMs() - KEPT_MS });
}

function newEntry(call: ApiCall, caller: ApiCaller, action: string): AuditEntry {
  const { core, request, requestId, body } = call;
  const { rawPath, rawQuery } = request;
  const target = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  return {
    ...{ id: core.ports.ids.recordId(), atMs: core.ports.clock.nowMs(), requestId, status: null },
    ...{ action, target: target.slice(0, TARGET_MAX_LENGTH), detail: redacted(body), source: sourceOf(request) },
    ...{ accountId: caller.accountId, memberId: caller.memberId, accessKeyId: caller.accessKeyId },
    credential: `${caller.by.kind} ${caller.by.id}`,
  };
}

/** What was sent, without secrets; nothing of what is no JSON. */
function redacted(body: Uint8Array | null): string {
  if (body === null) return '';
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body));
    const text = JSON.stringify(json, (name, value) => (SECRET_FIELD.test(name) ? '…' : value));
    return text.length <= DETAIL_MAX_LENGTH ? text : `${text.slice(0, DETAIL_MAX_LENGTH)}…`;
  } catch {
    return '';
  }
}

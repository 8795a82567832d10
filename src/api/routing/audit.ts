// Entries of the audit log about requests to the JSON API: api-route.ts makes one
// for every change. The log itself is core/accounts/audit.ts.
import {
  type AuditedChange,
  addAudited,
  auditDetail,
  beginAudit,
} from '../../core/accounts/audit.ts';
import type { ApiCaller } from '../../core/auth/permissions.ts';
import type { Session } from '../../domain/accounts.ts';
import { networkOf } from '../../domain/ip-range.ts';
import type { ApiCall, SignedInCall } from './api-call.ts';
import { isOurFault } from './problem.ts';

/**
 * Runs a change of the caller between two entries; `action` is its name in the
 * document. Cost: two calls of the directory.
 */
export async function withAudit(
  call: SignedInCall,
  action: string,
  run: () => Promise<{ readonly status: number }>,
): Promise<void> {
  const entry = await beginAudit(call.core, changeOf(call, call.caller, action));
  try {
    const { status } = await run();
    // The operator changed something of another account, whose owner shall see it
    // too.
    await entry.end({ status, alsoFor: call.audit.accountId });
  } catch (error) {
    // A fault of ours may have come after the change: then the entry stays, its end
    // unknown.
    if (!isOurFault(error)) await entry.end({ status: null, alsoFor: null });
    throw error;
  }
}

/** Adds the entry of somebody who has signed in. */
export async function auditSignIn(call: ApiCall, session: Session, action: string): Promise<void> {
  const by = { kind: 'session', id: session.id } as const;
  const caller: ApiCaller = { ...session, scopes: null, by, endsAtMs: null };
  await addAudited(call.core, changeOf(call, caller, action), 201);
}

function changeOf(
  { request, requestId, body }: ApiCall,
  caller: ApiCaller,
  action: string,
): AuditedChange {
  const { rawPath, rawQuery } = request;
  return {
    action,
    requestId,
    source: networkOf(request.remoteAddress),
    detail: auditDetail(jsonOf(body)),
    target: rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`,
    accountId: caller.accountId,
    memberId: caller.memberId,
    accessKeyId: caller.accessKeyId,
    credential: `${caller.by.kind} ${caller.by.id}`,
  };
}

/**
 * A body that is JSON; null for any other, which is refused and may be a secret.
 */
function jsonOf(body: Uint8Array | null): Uint8Array | null {
  try {
    if (body !== null) JSON.parse(new TextDecoder().decode(body));
    return body;
  } catch {
    return null;
  }
}

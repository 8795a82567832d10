// Explains a refusal to the keys of the bucket's own account: it names the rule
// that the owner can change. decide.ts decides; this is called afterwards, and
// never for strangers, who must learn nothing of a policy.
import type { AccessRecord, AccessRequest, ReadPolicy } from './decide.ts';
import { findStatement, policyRequestOf } from './policy/evaluate-policy.ts';

/** Longest name of a statement in an explanation, characters. */
const SID_MAX_LENGTH = 128;

/**
 * The reason of a refusal as a sentence; null for callers of other accounts, and
 * where no rule says no. Never throws.
 */
export function explainRefusal(
  record: AccessRecord,
  request: AccessRequest,
  policy: ReadPolicy,
): string | null {
  const { principal, action, object } = request;
  if (principal.kind !== 'account' || principal.account.id !== record.ownerId) return null;

  const denial =
    policy === null || policy === 'unreadable'
      ? null
      : findStatement(policy, policyRequestOf(record, request), 'Deny');
  if (denial !== null) {
    const { sid, number } = denial;
    const name =
      sid === null ? `statement ${number}` : `the statement "${sid.slice(0, SID_MAX_LENGTH)}"`;
    return `Access Denied: ${name} of the bucket policy denies ${action}.`;
  }

  const isAnothers =
    object !== null && object.ownerId !== null && object.ownerId !== record.ownerId;
  return isAnothers
    ? `Access Denied: the object belongs to another account, which has not granted ${action}.`
    : null;
}

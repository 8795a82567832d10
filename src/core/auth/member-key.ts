// The derived access key of a member, who signed in by password or passkey: the
// JSON API presigns URLs with it. It is stored nowhere and shown to nobody. Its
// secret is derived from the server's root secret and the member's id; the member's
// row says whether it is in use and what it may do. A URL therefore ends with the
// member, the role or the account.
import { hmacSha256 } from '../../crypto/hash.ts';
import { deriveKey } from '../../crypto/key-wrap.ts';
import type { StoredAccessKey } from '../../domain/account-records.ts';
import { MEMBER_KEY_PREFIX, type Role } from '../../domain/accounts.ts';
import type { AccessKey, AccessKeyId } from '../../domain/nouns.ts';
import { actionsMatching, NO_KEY_LIMIT } from './key-scope.ts';
import { scopesOfRole } from './permissions.ts';
import { actionsOfScopes } from './scope-actions.ts';

/** The id of a member's key. */
export function memberKeyId(memberId: string): AccessKeyId {
  return `${MEMBER_KEY_PREFIX}${memberId}` as AccessKeyId;
}

/** Whether an id is that of a member's key. */
export function isMemberKeyId(id: AccessKeyId): boolean {
  return id.startsWith(MEMBER_KEY_PREFIX);
}

/**
 * Actions that presigned URLs of the JSON API need; the scopes of the role say
 * which are allowed.
 */
const PRESIGNED_ACTIONS = [
  's3:GetObject',
  's3:GetObjectVersion',
  's3:ListBucket',
  's3:PutObject',
  's3:PutObjectTagging',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
];

/** The presigned actions that a role may do. */
function presignedActionsOf(role: Role): readonly string[] {
  const allowed = new Set(actionsOfScopes(scopesOfRole(role)).flatMap(actionsMatching));
  return PRESIGNED_ACTIONS.filter((action) => allowed.has(action));
}

/**
 * Makes the derivation of members' keys from their rows. Another `rootSecret` ends
 * every URL. Cost: 10 µs a key.
 */
export function createMemberKeys(
  rootSecret: string,
): (stored: StoredAccessKey) => AccessKey | null {
  const secretKey = deriveKey(new TextEncoder().encode(rootSecret), 'quayside member keys 1');
  const actionsOfRole = new Map<Role, readonly string[]>();
  return ({ id, account, role }) => {
    if (role === null) return null;

    const actions = actionsOfRole.get(role) ?? presignedActionsOf(role);
    actionsOfRole.set(role, actions);
    const secret = hmacSha256(secretKey, id).toBase64({ alphabet: 'base64url', omitPadding: true });
    // Without a role: nobody signs in with it.
    return { id, secret, account, scope: { ...NO_KEY_LIMIT, actions }, role: null };
  };
}

// Named encryption keys, for SSE-KMS: list, create, enable and disable, as JSON and for the root account alone. No
// operation of S3 (AWS has KMS for it); it stands here because it is signed as all others are. README.md tells operators.
import { ROOT_ACCOUNT } from '../../../core/auth/root-account.ts';
import type { Core } from '../../../core/core.ts';
import {
  createNamedKey,
  listNamedKeys,
  type NamedKeyInfo,
  setNamedKeyEnabled,
} from '../../../core/encryption/named-keys.ts';
import { LIST_MAX_KEYS } from '../../../core/limits.ts';
import { StorageError } from '../../../ports/errors.ts';
import type { AccountCall, S3Answer } from '../call.ts';
import { readDocument } from '../read-document.ts';

/** A key's id and a state. Bytes. */
const DOCUMENT_MAX_BYTES = 4096;

/** `{"keys": [{"id", "state", "createdAt"}], "nextAfter"}` after `?after=`. AccessDenied. */
export async function answerListNamedKeys(call: AccountCall, core: Core): Promise<S3Answer> {
  requireRoot(call);
  const keys = await listNamedKeys(core, { after: call.query.get('after') ?? '', limit: LIST_MAX_KEYS });
  const nextAfter = keys.length === LIST_MAX_KEYS ? (keys.at(-1)?.id ?? null) : null;
  return jsonAnswer(200, { keys: keys.map(toJson), nextAfter });
}

/**
 * `{"id"}` makes a key, 201, or finds it, 200; `{"id", "state": "enabled" | "disabled"}` changes one that exists. Answers
 * with the key. AccessDenied, InvalidRequest, InvalidArgument, KMS.NotFoundException. Cost: one commit.
 */
export async function answerPutNamedKey(call: AccountCall, core: Core): Promise<S3Answer> {
  requireRoot(call);
  const { id, state } = parse(await readDocument(call, DOCUMENT_MAX_BYTES));
  if (state !== null) return jsonAnswer(200, toJson(await setNamedKeyEnabled(core, id, state === 'enabled')));
  const { key, isNew } = await createNamedKey(core, id);
  return jsonAnswer(isNew ? 201 : 200, toJson(key));
}

function requireRoot({ account }: AccountCall): void {
  if (account.id !== ROOT_ACCOUNT.id) throw new StorageError('AccessDenied');
}

function parse(bytes: Uint8Array): { id: string; state: 'enabled' | 'disabled' | null } {
  const refused = new StorageError('InvalidRequest', {
    detail: 'The body must be {"id": "…"}, with "state": "enabled" or "disabled" to change a key that exists.',
  });
  try {
    const { id, state = null, ...others } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const isFine = typeof id === 'string' && Object.keys(others).length === 0;
    if (isFine && (state === null || state === 'enabled' || state === 'disabled')) return { id, state };
  } catch {
    throw refused;
  }
  throw refused;
}

function toJson({ id, isEnabled, createdAtMs }: NamedKeyInfo): object {
  return { id, state: isEnabled ? 'enabled' : 'disabled', createdAt: new Date(createdAtMs).toISOString() };
}

function jsonAnswer(status: number, value: object): S3Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(value, null, 2)}\n` };
}

// KMS keys, for SSE-KMS: list, create, enable and disable, and whose they are, as
// JSON and for the root account alone. No operation of S3 (AWS has KMS for it); it
// stands here because it is signed as all others are. docs/encryption.md is for
// operators.

import type { Core } from '../../../../core/core.ts';
import {
  changeKmsKey,
  createKmsKey,
  GRANTS_MAX,
  type KmsKeyInfo,
  listKmsKeys,
} from '../../../../core/encryption/kms-keys.ts';
import { LIST_MAX_KEYS } from '../../../../core/limits.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { AccountId } from '../../../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../../domain/root-account.ts';
import type { AccountCall, S3Response } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';

/** Bytes of a document: a key's id, a state, and the accounts whose it is. */
const DOCUMENT_MAX_BYTES = 128 * 1024;

/**
 * `{"keys": [{"id", "state", "accounts", "createdAt"}], "nextAfter"}` after
 * `?after=`. AccessDenied.
 */
export async function answerListKmsKeys(call: AccountCall, core: Core): Promise<S3Response> {
  requireRoot(call);
  const keys = await listKmsKeys(core, {
    after: call.query.get('after') ?? '',
    limit: LIST_MAX_KEYS,
  });
  const nextAfter = keys.length === LIST_MAX_KEYS ? (keys.at(-1)?.id ?? null) : null;
  return jsonResponse(200, { keys: keys.map(toJson), nextAfter });
}

/**
 * `{"id"}` makes a key, 201, or finds it, 200; with `"accounts"`, a list of ids or
 * null for every account, it is for the buckets of these besides the operator's,
 * from the start or from now on. `{"id", "state": "enabled" | "disabled"}` changes
 * one that exists. Answers with the key. AccessDenied, InvalidRequest,
 * InvalidArgument, KMS.NotFoundException. Cost: one commit or two.
 */
export async function answerPutKmsKey(call: AccountCall, core: Core): Promise<S3Response> {
  requireRoot(call);
  const { id, state, accounts } = parse(await readDocument(call, DOCUMENT_MAX_BYTES));
  const grants = accounts === undefined ? {} : { accountIds: accounts };
  if (state !== undefined) {
    return jsonResponse(
      200,
      toJson(await changeKmsKey(core, id, { isEnabled: state === 'enabled', ...grants })),
    );
  }
  const { key, isNew } = await createKmsKey(core, id, accounts);
  if (isNew || accounts === undefined) return jsonResponse(isNew ? 201 : 200, toJson(key));
  return jsonResponse(200, toJson(await changeKmsKey(core, id, grants)));
}

function requireRoot({ account }: AccountCall): void {
  if (account.id !== ROOT_ACCOUNT.id) throw new StorageError('AccessDenied');
}

type KmsKeyRequest = {
  readonly id: string;
  readonly state?: 'enabled' | 'disabled';
  readonly accounts?: readonly AccountId[] | null;
};

function parse(bytes: Uint8Array): KmsKeyRequest {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    json = null;
  }
  if (isKmsKeyRequest(json)) return json;
  throw new StorageError('InvalidRequest', {
    detail:
      'The body must be {"id": "…"}, with "state": "enabled" or "disabled" to change a key ' +
      'that exists, and with "accounts": a list of ids, or null for every account, to say ' +
      'whose it is.',
  });
}

const NAMES = ['id', 'state', 'accounts'];

function isKmsKeyRequest(json: unknown): json is KmsKeyRequest {
  if (
    typeof json !== 'object' ||
    json === null ||
    !Object.keys(json).every((name) => NAMES.includes(name))
  )
    return false;
  const { id, state, accounts = null } = json as Record<string, unknown>;
  if (
    typeof id !== 'string' ||
    !(state === undefined || state === 'enabled' || state === 'disabled')
  )
    return false;
  if (accounts === null) return true;
  return Array.isArray(accounts) && accounts.length <= GRANTS_MAX && accounts.every(isAccountId);
}

/** Account ids of this service's making, or of the seed. */
function isAccountId(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.-]{1,128}$/.test(value);
}

function toJson({ id, isEnabled, accountIds, createdAtMs }: KmsKeyInfo): object {
  const state = isEnabled ? 'enabled' : 'disabled';
  return { id, state, accounts: accountIds, createdAt: new Date(createdAtMs).toISOString() };
}

function jsonResponse(status: number, value: object): S3Response {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify(value, null, 2)}\n`,
  };
}

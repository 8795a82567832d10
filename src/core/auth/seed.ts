// Parses the seed: accounts that the operator names in the settings, with their
// keys. They exist as long as the seed has them. For tests, exams and small
// installations; accounts that come and go are rows of the directory.
import type { AccessKey, AccessKeyId, AccountId } from '../../domain/nouns.ts';
import { isKmsKeyId } from '../encryption/kms-keys.ts';
import { isJsonObject, type Json } from '../json.ts';

/** A seed that can't be used; the message says where, and shows no secret. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/**
 * Reads `{"accounts": [{"id", "displayName", "keys": [{"accessKey",
 * "secretKey"}]}]}` into access keys. SeedError.
 */
export function parseSeed(text: string): readonly AccessKey[] {
  const { accounts } = parseObject(text);
  if (!Array.isArray(accounts))
    throw new SeedError('The seed must be an object with a list "accounts".');
  const keys = accounts.flatMap(keysOfAccount);
  const ids = new Set(keys.map((key) => key.id));
  if (ids.size !== keys.length) throw new SeedError('The seed has an access key twice.');
  return keys;
}

/**
 * Reads ids of KMS keys in `{"kmsKeys": ["id", …]}`, none when there is no such
 * list. The server makes each when it is first used, and stores it. SeedError.
 */
export function parseSeededKmsKeys(text: string): readonly string[] {
  const { kmsKeys = [] } = parseObject(text);
  if (Array.isArray(kmsKeys) && kmsKeys.every(isKmsKeyId)) return kmsKeys;
  throw new SeedError('The seed\'s "kmsKeys" must be a list of ids of keys.');
}

function parseObject(text: string): Json {
  try {
    const seed: unknown = JSON.parse(text);
    return isJsonObject(seed) ? seed : {};
  } catch {
    throw new SeedError('The seed is not valid JSON.');
  }
}

function keysOfAccount(account: unknown, position: number): AccessKey[] {
  const where = `accounts[${position}]`;
  if (!isJsonObject(account)) throw new SeedError(`${where} must be an object.`);
  const id = textOf(account, 'id', where, /^[\w.-]{1,128}$/) as AccountId;
  const displayName = textOf(account, 'displayName', where, /^[^\p{Cc}]{1,128}$/u);
  if (!Array.isArray(account.keys)) throw new SeedError(`${where}.keys must be a list.`);
  return account.keys.map((key: unknown, keyPosition) => {
    const keyWhere = `${where}.keys[${keyPosition}]`;
    if (!isJsonObject(key)) throw new SeedError(`${keyWhere} must be an object.`);
    return {
      id: textOf(key, 'accessKey', keyWhere, /^[\w-]{3,128}$/) as AccessKeyId,
      secret: textOf(key, 'secretKey', keyWhere, /^[\x21-\x7e]{8,256}$/),
      account: { id, displayName },
    };
  });
}

function textOf(object: Json, name: string, where: string, pattern: RegExp): string {
  const value = object[name];
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new SeedError(
    `${where}.${name} is missing or has characters or a length that it must not have.`,
  );
}

// The proof that a host name is an account's: whoever has the name's DNS writes there which account
// may bind it. Without it an account could take any name that leads here and is not bound yet, such
// as one that a customer has just given up. The record is that of the very name: what an account
// has proved or bound of a domain says nothing of the names above or below it, so that neither
// blocks the other.
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { HostedDomain } from '../../domain/hosting.ts';
import type { AccountId, BucketRecord } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../auth/root-account.ts';
import type { Core } from '../core.ts';
import { HOST_MAX_LENGTH } from './host-names.ts';

/** A record of DNS that proves a host. */
export type HostRecord = { readonly name: string; readonly type: 'TXT'; readonly value: string };

/** Hexadecimal digits of the account's mark: 128 bits. */
const MARK_LENGTH = 32;

/**
 * The record that lets the account bind the host. The value is no secret and the same for all hosts
 * of the account; it is a digest, so that DNS tells nobody the account's id.
 */
export function hostRecordOf(host: string, accountId: AccountId): HostRecord {
  const mark = sha256Hex(`quayside host of ${accountId}`).slice(0, MARK_LENGTH);
  return { name: `_quayside.${host}`, type: 'TXT', value: `quayside-account=${mark}` };
}

/**
 * Whether hosts of the account need the proof: not the operator's own, nor where the operator
 * trusts all accounts.
 */
export function needsHostProof({ settings }: Core, accountId: AccountId): boolean {
  return settings.requiresHostProof && accountId !== ROOT_ACCOUNT.id;
}

/** AccessDenied for an account that may have no hosts here, whatever it proves. */
export function requireMayBindHosts({ settings }: Core, accountId: AccountId): void {
  if (accountId === ROOT_ACCOUNT.id || settings.accountsMayBindHosts) return;
  throw new StorageError('AccessDenied', {
    detail:
      'Only the root account can bind domains here, until QUAYSIDE_OWN_HOSTS says which hosts are the service.',
  });
}

/** Asks DNS now. ServiceUnavailable. Cost: one question. */
export async function isHostProven({ ports }: Core, record: HostRecord): Promise<boolean> {
  // A longer name can't have records.
  if (record.name.length > HOST_MAX_LENGTH) return false;
  return (await ports.txtRecords.read(record.name)).includes(record.value);
}

/**
 * Proves those of the hosts that are not bound to the bucket already: what is bound stays, whatever
 * DNS says by now. DomainNotProven names the record that is missing; ServiceUnavailable. Cost: a
 * read of the directory for each host, and one question for each new one; they are asked one after
 * the other, so that who owns none of the names causes one.
 */
export async function requireHostProofs(
  core: Core,
  { id, ownerId }: BucketRecord,
  domains: readonly HostedDomain[],
): Promise<void> {
  if (!needsHostProof(core, ownerId)) return;
  for (const { host } of domains) {
    const holder = await core.ports.directory.call('getHost', { host });
    if (holder?.bucketId === id) continue;
    const record = hostRecordOf(host, ownerId);
    if (await isHostProven(core, record)) continue;
    throw new StorageError('DomainNotProven', {
      detail: `Set the DNS record ${record.name} TXT "${record.value}", which shows that the domain is yours, and try again.`,
      fields: { Domain: host, RecordName: record.name, RecordValue: record.value },
    });
  }
}

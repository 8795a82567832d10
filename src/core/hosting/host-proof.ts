// The proof that a host name belongs to an account: a TXT record of the name's DNS
// says which account may bind it. Without it an account could take over any name
// that leads here and is not bound, such as one that a customer has just released.
// The record is of the exact name: a proof or binding says nothing of the names
// above or below it, so neither blocks the other.
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { HostedDomain } from '../../domain/hosting.ts';
import type { AccountId, BucketRecord } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../domain/root-account.ts';
import type { Core } from '../core.ts';
import { HOST_MAX_LENGTH } from './host-names.ts';

/** The DNS record that proves a host. */
export type HostRecord = { readonly name: string; readonly type: 'TXT'; readonly value: string };

/** Hexadecimal digits of the account's mark: 128 bits. */
const MARK_LENGTH = 32;

/**
 * Makes the record that lets the account bind the host. The value is no secret and
 * equal for all hosts of the account; it is a digest, so that DNS reveals no
 * account id.
 */
export function hostRecordOf(host: string, accountId: AccountId): HostRecord {
  const mark = sha256Hex(`quayside host of ${accountId}`).slice(0, MARK_LENGTH);
  return { name: `_quayside.${host}`, type: 'TXT', value: `quayside-account=${mark}` };
}

/**
 * Whether hosts of the account need a proof. The operator's own do not, and none
 * where the operator trusts all accounts.
 */
export function needsHostProof({ settings }: Core, accountId: AccountId): boolean {
  return settings.requiresHostProof && accountId !== ROOT_ACCOUNT.id;
}

/**
 * Refuses an account that may bind no hosts here, whatever it proves. AccessDenied.
 */
export function requireMayBindHosts({ settings }: Core, accountId: AccountId): void {
  if (accountId === ROOT_ACCOUNT.id || settings.accountsMayBindHosts) return;
  throw new StorageError('AccessDenied', {
    detail:
      'Only the root account can bind domains here, ' +
      'until QUAYSIDE_OWN_HOSTS says which hosts are the service.',
  });
}

/** Looks for the record in DNS. ServiceUnavailable. Cost: one DNS query. */
export async function isHostProven({ ports }: Core, record: HostRecord): Promise<boolean> {
  // DNS has no longer names.
  if (record.name.length > HOST_MAX_LENGTH) return false;
  return (await ports.txtRecords.read(record.name)).includes(record.value);
}

/**
 * Requires a proof of each host that is not bound to the bucket already; a bound
 * one stays, whatever DNS says by now. DomainNotProven names the missing record;
 * ServiceUnavailable. Cost: a directory read for each host, and one DNS query for
 * each new one. Hosts are proved one after the other, so a stranger's list causes
 * one query.
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
      detail:
        `Set the DNS record ${record.name} TXT "${record.value}", ` +
        'which shows that the domain is yours, and try again.',
      fields: { Domain: host, RecordName: record.name, RecordValue: record.value },
    });
  }
}

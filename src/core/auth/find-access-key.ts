// Who an access key id belongs to, with the secret that proves it: the look-up that both surfaces
// authenticate with. It also seals secrets that older programs kept plain, and notes when a key was
// used.
import type { StoredAccessKey } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKey, AccessKeyId, Account, AccountId } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import { openSecret, sealSecret } from '../encryption/encrypted-secret.ts';
import { createMemberKeys, isMemberKeyId } from './member-key.ts';
import { ROOT_ACCOUNT } from './root-account.ts';

/**
 * The root access key as the home's settings give it; a name without a value is what is missing.
 */
export type RootKey = { readonly id: string | null; readonly secret: string | null };

/**
 * How exactly the last use of a key is known, milliseconds: noting it is a commit, so it is noted
 * no more often.
 */
const USE_NOTED_MS = HOUR_MS;
/** Keys whose last noted use is remembered; a forgotten one is noted once more. */
const USES_MAX = 10_000;
/**
 * A note of which nothing is heard for so long, or that failed, is made again with the next use,
 * milliseconds.
 */
const NOTE_AGAIN_MS = 60_000;

/** What a sealed secret is bound to: it opens for its own key alone. */
export function boundOf(id: AccessKeyId): string {
  return `access key ${id}`;
}

/**
 * Makes the look-up of access keys: the root key and the seed's from the settings, every other from
 * the directory, which keeps secrets sealed. A key that has expired or is disabled is as good as
 * none, as S3 has it (InvalidAccessKeyId). Without a complete root key nobody is let in:
 * ServiceUnavailable names what is missing.
 */
export function createAccessKeyFinder(
  core: Core,
  root: RootKey,
  seed: readonly AccessKey[],
): (id: AccessKeyId) => AccessKey | null | Promise<AccessKey | null> {
  const missing = [
    ...(root.id === null ? ['QUAYSIDE_ROOT_ACCESS_KEY'] : []),
    ...(root.secret === null ? ['QUAYSIDE_ROOT_SECRET_KEY'] : []),
  ];
  const rootKey =
    root.id === null || root.secret === null
      ? null
      : { id: root.id as AccessKeyId, secret: root.secret, account: ROOT_ACCOUNT };
  const seeded = new Map(seed.map((key) => [key.id, key]));
  const ofSettings = new Map(
    [ROOT_ACCOUNT, ...seed.map(({ account }) => account)].map((known) => [known.id, known]),
  );
  const open = createOpener(core, ofSettings);
  const noteUse = createUseNotes(core);
  const memberKey = createMemberKeys(root.secret ?? '');

  function openUsable(stored: StoredAccessKey | null): AccessKey | null {
    if (stored === null || !stored.isEnabled) return null;
    const nowMs = core.ports.clock.nowMs();
    if (stored.expiresAtMs !== null && stored.expiresAtMs <= nowMs) return null;
    if (isMemberKeyId(stored.id))
      return memberKey({ ...stored, account: ofSettings.get(stored.account.id) ?? stored.account });
    noteUse(stored.id, nowMs);
    return open(stored);
  }

  function findStored(id: AccessKeyId): AccessKey | null | Promise<AccessKey | null> {
    const { directory } = core.ports;
    const known = directory.peekAccessKey?.(id) ?? null;
    return known === null
      ? directory.call('getAccessKey', { id }).then(openUsable)
      : openUsable(known);
  }

  return (id) => {
    if (rootKey === null) {
      throw new StorageError('ServiceUnavailable', {
        detail: `This server has no root key: ${missing.join(' and ')} is not set.`,
      });
    }
    if (id === rootKey.id) return rootKey;
    return seeded.get(id) ?? findStored(id);
  };
}

/**
 * Opens secrets, each once for as long as the directory remembers its row. Cost: 20 µs, then
 * nothing.
 */
function createOpener(
  core: Core,
  ofSettings: ReadonlyMap<AccountId, Account>,
): (stored: StoredAccessKey) => AccessKey {
  const opened = new WeakMap<StoredAccessKey, AccessKey>();
  return (stored) => {
    const known = opened.get(stored);
    if (known !== undefined) return known;
    const { id, scope, role, isSealed } = stored;
    const account = ofSettings.get(stored.account.id) ?? stored.account;
    const { masterKeys } = core.settings;
    const secret = isSealed ? openSecret(masterKeys, stored.secret, boundOf(id)) : stored.secret;
    const key = { id, secret, account, scope, role };
    opened.set(stored, key);
    if (!isSealed && masterKeys.length > 0) {
      core.ports.background.run('seal-access-key', () => {
        const sealed = sealSecret(masterKeys, secret, boundOf(id));
        return core.ports.directory.call('sealAccessKey', { id, plain: secret, sealed });
      });
    }
    return key;
  };
}

/**
 * Notes behind the answers when a key was used, once an hour by each process or isolate. Costs a
 * look into a map else.
 */
function createUseNotes({ ports }: Core): (id: AccessKeyId, nowMs: number) => void {
  /** Until when each key's use need not be noted. */
  const notedUntilMs = new Map<AccessKeyId, number>();
  return (id, nowMs) => {
    if ((notedUntilMs.get(id) ?? 0) > nowMs) return;
    if (notedUntilMs.size >= USES_MAX) notedUntilMs.clear();
    const hourMs = nowMs - (nowMs % USE_NOTED_MS);
    const nextHourMs = hourMs + USE_NOTED_MS;
    // Work behind an answer may fail, or be ended without a word.
    notedUntilMs.set(id, Math.min(nowMs + NOTE_AGAIN_MS, nextHourMs));
    ports.background.run('note-key-use', async () => {
      await ports.directory.call('noteKeyUsed', { id, atMs: hourMs });
      notedUntilMs.set(id, nextHourMs);
    });
  };
}

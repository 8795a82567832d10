// Marks of keys that were withdrawn or changed, in KV, which every place can read
// while it can't reach the directory. A mark is written before the directory is
// called. Whoever believes a key of which the directory can't say anything looks for
// marks first, and believes none that it can't look up.
//
// The bound: KV shows a write everywhere within 60 s, and a place repeats "there is
// none" for 30 s. Source: https://developers.cloudflare.com/kv/concepts/how-kv-works/
import { MEMBER_KEY_PREFIX } from '../../../domain/accounts.ts';
import type { DirectoryApi } from '../../../ports/directory.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import { retry } from './retry.ts';

/** How long a mark stays, seconds: longer than anybody believes a key. */
const MARK_SECONDS = 3600;
/** How long a place repeats what it read, seconds: KV's shortest. */
const CACHE_SECONDS = 30;
/** How far the clocks of two machines may be apart, milliseconds. */
const CLOCK_SKEW_MS = 1000;

export type WithdrawnKeys = {
  /** Marks what the call withdraws or changes. A failure is logged: the call matters more. */
  mark(name: keyof DirectoryApi, input: unknown): Promise<void>;
  /**
   * Whether none of these subjects was marked since. Cost: a read of KV for each.
   * Rejects when KV can't say.
   */
  areUnmarked(subjects: readonly string[], sinceMs: number): Promise<boolean>;
};

export type WithdrawnKeysOptions = {
  readonly kv: Pick<KVNamespace, 'get' | 'put'>;
  readonly clock: Clock;
  readonly log: Log;
  /** A call of KV that takes longer has failed, milliseconds. */
  readonly limitMs: number;
};

export const keySubject = (id: string): string => `key/${id}`;
export const accountSubject = (id: string): string => `account/${id}`;
export const kmsKeySubject = (id: string): string => `kms/${id}`;

export function createWithdrawnKeys(options: WithdrawnKeysOptions): WithdrawnKeys {
  const { kv, clock, log, limitMs } = options;
  const nameOf = (subject: string) => `w/${subject}`;

  async function put(subject: string): Promise<void> {
    const text = `${clock.nowMs()}`;
    await withTimeout(limitMs, 'KV', () =>
      retry(
        () => kv.put(nameOf(subject), text, { expirationTtl: MARK_SECONDS }),
        () => true,
      ),
    );
  }

  return {
    async mark(name, input) {
      try {
        await Promise.all(subjectsOf(name, input).map(put));
      } catch (cause) {
        log.error('withdrawal-not-marked', { call: name, cause });
      }
    },
    async areUnmarked(subjects, sinceMs) {
      const marks = await withTimeout(limitMs, 'KV', () =>
        Promise.all(
          subjects.map((subject) => kv.get(nameOf(subject), { cacheTtl: CACHE_SECONDS })),
        ),
      );
      return marks.every((mark) => mark === null || Number(mark) + CLOCK_SKEW_MS < sinceMs);
    },
  };
}

/** Whose keys a call withdraws or changes. */
function subjectsOf(name: keyof DirectoryApi, input: unknown): readonly string[] {
  const { id } = input as { readonly id: string };
  switch (name) {
    case 'updateAccessKey':
    case 'removeAccessKey':
      return [keySubject(id)];
    case 'updateMember':
    case 'removeMember':
      return [keySubject(`${MEMBER_KEY_PREFIX}${id}`)];
    case 'updateAccount':
    case 'removeAccount':
      return [accountSubject(id)];
    case 'putAccount':
      return [accountSubject((input as Parameters<DirectoryApi['putAccount']>[0]).account.id)];
    case 'changeKmsKey':
      return [kmsKeySubject(id)];
    default:
      return [];
  }
}

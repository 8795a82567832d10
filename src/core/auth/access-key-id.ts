// Ids of access keys that the server makes: random characters with a tag (HMAC) that
// only a holder of the master key can make. So an id that somebody made up is refused
// without a look-up. Ids of other forms, of older releases, members and settings, have
// no tag and are looked up.
import { hmacSha256, isEqualInConstantTime } from '../../crypto/hash.ts';
import { deriveKey } from '../../crypto/key-wrap.ts';
import { randomText } from '../../crypto/random-text.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKeyId } from '../../domain/nouns.ts';
import type { MasterKeys } from '../encryption/master-keys.ts';

/**
 * Random characters of an id, behind `QS`: 80 bits. Nothing depends on nobody
 * guessing it.
 */
const RANDOM_LENGTH = 16;
/** Characters of the tag: one of 2^20 made-up ids has it by chance. */
const TAG_LENGTH = 4;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TAGGED = /^QS[0-9A-HJKMNP-TV-Z]{20}$/;

/** What an id says of itself. */
export type KeyIdProof =
  /** The server made it. */
  | 'proven'
  /** The id has the form of the server's own ids, but the server never made it. */
  | 'forged'
  /** The id does not have the form of the server's own ids. */
  | 'untagged';

export type AccessKeyIds = {
  /** ServiceUnavailable when there is no master key. */
  make(): AccessKeyId;
  /** Cost: 5 µs for each master key. */
  prove(id: string): KeyIdProof;
};

/** `masterKeys`: any of them proves an id, the newest makes it. */
export function createAccessKeyIds(masterKeys: MasterKeys): AccessKeyIds {
  const tagKeys = masterKeys.map(({ key }) => deriveKey(key, 'quayside access key ids 1'));

  return {
    make() {
      const [newest] = tagKeys;
      if (newest === undefined) {
        throw new StorageError('ServiceUnavailable', {
          detail:
            'This server has no master key, so it cannot keep the secrets of keys: ' +
            'QUAYSIDE_MASTER_KEY is not set.',
        });
      }
      const body = `QS${randomText(RANDOM_LENGTH).toUpperCase()}`;
      return `${body}${tagOf(newest, body)}` as AccessKeyId;
    },
    prove(id) {
      if (!TAGGED.test(id)) return 'untagged';
      const [body, tag] = [id.slice(0, -TAG_LENGTH), id.slice(-TAG_LENGTH)];
      const isOurs = tagKeys.some((key) => isEqualInConstantTime(tagOf(key, body), tag));
      return isOurs ? 'proven' : 'forged';
    },
  };
}

function tagOf(key: Uint8Array, body: string): string {
  const digest = hmacSha256(key, body);
  let tag = '';
  for (const byte of digest.subarray(0, TAG_LENGTH)) tag += ALPHABET.charAt(byte & 31);
  return tag;
}

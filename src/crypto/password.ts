// Password hashes that are slow to guess, by scrypt. Called by core/accounts; no
// password is stored or logged. Source:
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt
// (N=2^14, r=8, p=5: the choice of least memory, 16 MiB, because an isolate has 128
// MB in all).
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { logN: 14, r: 8, p: 5 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORMAT = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w+/=]+)\$([\w+/=]+)$/;

type Cost = { readonly logN: number; readonly r: number; readonly p: number };

/**
 * Hashes a password to `scrypt$logN$r$p$salt$hash`. Cost: about 210 ms of CPU
 * (measured on Node, 2026-11, on a shared machine); on Node in the thread pool.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = new Uint8Array(randomBytes(SALT_BYTES));
  const hash = await derive(password, salt, COST);
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toBase64(), hash.toBase64()].join('$');
}

/**
 * Whether a password has that hash. A null hash, where there is no such account,
 * takes as long and is false. Cost: as of `hashPassword`.
 */
export async function isPassword(password: string, storedHash: string | null): Promise<boolean> {
  const [, logN = '', r = '', p = '', salt = '', hash = ''] = FORMAT.exec(storedHash ?? '') ?? [];
  if (hash === '') {
    await derive(password, new Uint8Array(SALT_BYTES), COST);
    return false;
  }
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(password, Uint8Array.fromBase64(salt), cost);
  return timingSafeEqual(derived, Uint8Array.fromBase64(hash));
}

/**
 * Derives the hash. Texts of one NFC form are one password. Source: RFC 8265
 * section 4.2.2.
 */
function derive(password: string, salt: Uint8Array, { logN, r, p }: Cost): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFC'),
      salt,
      HASH_BYTES,
      { N: 2 ** logN, r, p, maxmem: 2 * 128 * r * 2 ** logN },
      (error, hash) => {
        if (error === null) resolve(new Uint8Array(hash));
        else reject(error);
      },
    );
  });
}

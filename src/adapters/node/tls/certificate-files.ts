// The certificate and the private key that the Node platform shows to TLS clients:
// read from two PEM files, and proved to fit each other before anybody uses them.
// open-tls.ts calls it at the start and for each renewal. It keeps nothing.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../../config.ts';
import { errnoOf } from '../blobs/fs-errors.ts';

/** Names of the two PEM files. `cert` may go on with the certificates between. */
export type CertificateFiles = { readonly certFile: string; readonly keyFile: string };

/** A certificate with its key, in PEM. */
export type Certificate = {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Whether every account of the machine may read the file of the key. */
  readonly isKeyOpen: boolean;
};

export const CERT_VARIABLE = 'QUAYSIDE_TLS_CERT';
export const KEY_VARIABLE = 'QUAYSIDE_TLS_KEY';

/** Longest file that is read. A chain of certificates has some KiB. */
const FILE_MAX_BYTES = 1024 * 1024;
/** The permission of everybody to read a file. */
const READ_BY_OTHERS = 0o004;

/** What a person reads where a file can't be read, by the system's code. */
const READ_FAILURES: ReadonlyMap<string | null, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EISDIR', 'is a folder'],
]);

/**
 * Reads and proves the pair. ConfigError, which names the setting, for a file that
 * is missing, unreadable or no PEM, for a key of another certificate, and for a
 * certificate that has expired at `nowMs`.
 */
export async function readCertificate(
  { certFile, keyFile }: CertificateFiles,
  nowMs: number,
): Promise<Certificate> {
  const certificate = await readPem(CERT_VARIABLE, certFile);
  const privateKey = await readPem(KEY_VARIABLE, keyFile);
  const first = parseCertificate(certificate.bytes, certFile);
  const key = parseKey(privateKey.bytes, keyFile);
  if (!first.checkPrivateKey(key)) {
    throw new ConfigError(
      `${KEY_VARIABLE}: ${keyFile} is the key of another certificate than ${certFile} begins with.`,
    );
  }

  const notAfterMs = first.validToDate.getTime();
  if (notAfterMs <= nowMs) {
    const expired = first.validToDate.toISOString();
    throw new ConfigError(`${CERT_VARIABLE}: ${certFile} has expired at ${expired}.`);
  }
  proveContext(certificate.bytes, privateKey.bytes, certFile);

  return {
    cert: certificate.bytes,
    key: privateKey.bytes,
    notBeforeMs: first.validFromDate.getTime(),
    notAfterMs,
    isKeyOpen: (privateKey.mode & READ_BY_OTHERS) !== 0,
  };
}

/**
 * What tells one state of the two files from another: it changes when either is
 * written, or is another file by then. A file that is not there counts as a state.
 */
export async function stampOf({ certFile, keyFile }: CertificateFiles): Promise<string> {
  const stamps = await Promise.all(
    [certFile, keyFile].map((file) =>
      stat(file).then(
        ({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs].join(' '),
        (error: unknown) => `${errnoOf(error)}`,
      ),
    ),
  );
  return stamps.join(', ');
}

async function readPem(
  variable: string,
  file: string,
): Promise<{ readonly bytes: Buffer; readonly mode: number }> {
  try {
    const { size, mode } = await stat(file).then((found) => {
      if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      return found;
    });
    if (size > FILE_MAX_BYTES) {
      throw new ConfigError(`${variable}: ${file} is longer than a PEM file: ${size} bytes.`);
    }
    return { bytes: await readFile(file), mode };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = READ_FAILURES.get(errnoOf(error)) ?? `can't be read (${errnoOf(error)})`;
    throw new ConfigError(`${variable}: ${file} ${reason}.`);
  }
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new ConfigError(`${CERT_VARIABLE}: ${file} does not begin with a certificate in PEM.`);
  }
}

function parseKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // In both forms of PEM: PKCS #8, and the older one with Proc-Type.
    const isEncrypted = pem.includes('ENCRYPTED');
    const reason = isEncrypted ? 'is encrypted; take its passphrase off' : 'has no key in PEM';
    throw new ConfigError(`${KEY_VARIABLE}: ${file} ${reason}.`);
  }
}

/** Proves what OpenSSL itself demands: whole certificates behind the first, long keys. */
function proveContext(cert: Buffer, key: Buffer, file: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${CERT_VARIABLE}: ${file} can't be used: ${reason}.`);
  }
}

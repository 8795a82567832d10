// What a person reads when the pair of files can't be used.
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type CertificateFiles,
  readCertificate,
  stampOf,
} from '../../../src/adapters/node/tls/certificate-files.ts';
import { tlsSettingsOf } from '../../../src/adapters/node/tls/open-tls.ts';
import { ConfigError } from '../../../src/config.ts';
import { makeSelfSigned } from '../kit/self-signed.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { writePair } from './tls-kit.ts';

const NOW_MS = Date.UTC(2030, 0, 1);

async function failureOf(
  change: (files: CertificateFiles) => void,
  nowMs = NOW_MS,
): Promise<string> {
  const files = writePair(temporaryFolder());
  change(files);
  const error: unknown = await readCertificate(files, nowMs).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}

describe('readCertificate', () => {
  it('reads a pair, and says until when it is good and who may read the key', async () => {
    const files = writePair(temporaryFolder());
    const read = await readCertificate(files, NOW_MS);
    expect(new Date(read.notAfterMs).toISOString()).toBe('2049-12-31T23:59:59.000Z');
    expect(new Date(read.notBeforeMs).toISOString()).toBe('2020-01-01T00:00:00.000Z');
    expect(read.isKeyOpen).toBe(false);
    chmodSync(files.keyFile, 0o644);
    expect((await readCertificate(files, NOW_MS)).isKeyOpen).toBe(true);
  });

  it.each([
    [
      'a missing certificate',
      ({ certFile }: CertificateFiles) => rmSync(certFile),
      /^QUAYSIDE_TLS_CERT: .*cert\.pem does not exist\.$/,
    ],
    [
      'a missing key',
      ({ keyFile }: CertificateFiles) => rmSync(keyFile),
      /^QUAYSIDE_TLS_KEY: .*key\.pem does not exist\.$/,
    ],
    [
      'a folder',
      ({ certFile }: CertificateFiles) => {
        rmSync(certFile);
        mkdirSync(certFile);
      },
      /cert\.pem is a folder\.$/,
    ],
    [
      'no PEM',
      ({ certFile }: CertificateFiles) => writeFileSync(certFile, 'hello\n'),
      /cert\.pem does not begin with a certificate in PEM\.$/,
    ],
    [
      'no key',
      ({ keyFile }: CertificateFiles) => writeFileSync(keyFile, ''),
      /^QUAYSIDE_TLS_KEY: .*has no key in PEM\.$/,
    ],
    [
      'a key of another certificate',
      ({ keyFile }: CertificateFiles) => writeFileSync(keyFile, makeSelfSigned().key),
      /^QUAYSIDE_TLS_KEY: .*is the key of another certificate than .*cert\.pem begins with\.$/,
    ],
    [
      'an encrypted key',
      ({ keyFile }: CertificateFiles) => writeFileSync(keyFile, encryptedKey()),
      /key\.pem is encrypted; take its passphrase off\.$/,
    ],
    [
      'a broken certificate behind the first',
      ({ certFile }: CertificateFiles) =>
        writeFileSync(certFile, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', {
          flag: 'a',
        }),
      /cert\.pem can't be used: /,
    ],
    [
      'an endless file',
      ({ certFile }: CertificateFiles) => writeFileSync(certFile, Buffer.alloc(2 ** 20 + 1)),
      /is longer than a PEM file: 1048577 bytes\.$/,
    ],
  ])('refuses %s', async (_what, change, message) => {
    expect(await failureOf(change)).toMatch(message);
  });

  it('refuses a certificate that has expired, not one that is not good yet', async () => {
    expect(await failureOf(() => undefined, Date.UTC(2050, 0, 1))).toMatch(
      /cert\.pem has expired at 2049-12-31T23:59:59\.000Z\.$/,
    );
    const files = writePair(temporaryFolder());
    const read = await readCertificate(files, Date.UTC(2019, 0, 1));
    expect(read.notBeforeMs).toBeGreaterThan(Date.UTC(2019, 0, 1));
  });
});

function encryptedKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'a word' };
  return privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString();
}

describe('stampOf', () => {
  it('changes with either file, and stays while they do', async () => {
    const files = writePair(temporaryFolder());
    const stamps = [await stampOf(files)];
    expect(await stampOf(files)).toBe(stamps[0]);
    writeFileSync(files.keyFile, 'other');
    stamps.push(await stampOf(files));
    rmSync(files.certFile);
    stamps.push(await stampOf(files));
    expect(new Set(stamps).size).toBe(3);
  });
});

describe('tlsSettingsOf', () => {
  const none = { tlsCertFile: null, tlsKeyFile: null, isHttp2On: true, threads: 1 };

  it('wants both files or neither, and names the one that is missing', () => {
    expect(tlsSettingsOf(none)).toBe(null);
    expect(() => tlsSettingsOf({ ...none, tlsCertFile: 'a' })).toThrow(
      'QUAYSIDE_TLS_KEY must be set too: QUAYSIDE_TLS_CERT is, and TLS needs both.',
    );
    expect(() => tlsSettingsOf({ ...none, tlsKeyFile: 'b' })).toThrow(
      'QUAYSIDE_TLS_CERT must be set too: QUAYSIDE_TLS_KEY is, and TLS needs both.',
    );
  });

  it('offers HTTP/2 with one thread alone', () => {
    const both = { ...none, tlsCertFile: 'a', tlsKeyFile: 'b' };
    expect(tlsSettingsOf(both)?.isHttp2On).toBe(true);
    expect(tlsSettingsOf({ ...both, threads: 2 })?.isHttp2On).toBe(false);
  });

  it('has a ticket secret of its own each time', () => {
    const both = { ...none, tlsCertFile: 'a', tlsKeyFile: 'b' };
    const [first, second] = [tlsSettingsOf(both), tlsSettingsOf(both)];
    expect(first).toMatchObject({ certFile: 'a', keyFile: 'b', isHttp2On: true });
    expect(first?.ticketSecret).toHaveLength(32);
    expect(first?.ticketSecret).not.toEqual(second?.ticketSecret);
  });
});

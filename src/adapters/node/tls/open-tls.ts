// TLS of the Node platform: what its servers are made with, and the renewal of
// certificates and ticket keys while they run. serve.ts opens it. Handshakes that
// are too slow or too many are handshakes.ts's.
import { constants, hkdfSync, randomBytes } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import type { Server as TlsServer } from 'node:tls';
import { type Config, ConfigError } from '../../../config.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Log } from '../../../ports/system.ts';
import { repeat } from '../process/repeat.ts';
import {
  CERT_VARIABLE,
  type Certificate,
  type CertificateFiles,
  KEY_VARIABLE,
  readCertificate,
  stampOf,
} from './certificate-files.ts';

/** The TLS of a process: plain data, so that each of its threads can be given it. */
export type TlsSettings = CertificateFiles & {
  /** Whether HTTP/2 is offered beside HTTP/1.1. */
  readonly isHttp2On: boolean;
  /**
   * Random bytes from which the keys of session tickets follow: what has the same
   * bytes resumes each other's sessions.
   */
  readonly ticketSecret: Uint8Array;
};

export type OpenTls = {
  /** What an HTTPS server is made with. `hasHttp2`: whether it could serve HTTP/2. */
  optionsOf(hasHttp2: boolean): ServerOptions;
  /** Keeps the certificate and the ticket keys of a server new, until `close`. */
  add(server: TlsServer): void;
  /** Reads the files again; a pair that can't be used leaves the old one, and is logged. */
  renew(): Promise<void>;
  close(): Promise<void>;
  families(): readonly MetricFamily[];
};

/** How often the files are looked at for a change, milliseconds. */
export const LOOK_MS = 10_000;
/** The signal that has the files read at once, as nginx and Apache have it. */
export const RENEW_SIGNAL = 'SIGHUP';

/**
 * TLS 1.3, and of TLS 1.2 what has forward secrecy and authenticated encryption.
 * Source: https://wiki.mozilla.org/Security/Server_Side_TLS, intermediate, without
 * finite-field Diffie-Hellman
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
/** How long a session can be resumed, seconds. */
const SESSION_SECONDS = 3600;
/** Bytes that Node takes as the keys of session tickets. */
const TICKET_KEYS_BYTES = 48;
/** A ticket key serves so long: what it protects can be read by who steals it. */
const TICKET_KEY_MS = 24 * 3600 * 1000;
/** Sessions are resumed by servers of the same id only. */
const SESSION_ID_CONTEXT = 'quayside';

/** Bytes of a new ticket secret. */
const TICKET_SECRET_BYTES = 32;

/**
 * The TLS that the settings want, with a ticket secret of its own; null: none.
 * HTTP/2 is for one thread: several hand requests on, which its path does not do.
 * ConfigError where one of the two files is named without the other.
 */
export function tlsSettingsOf({
  tlsCertFile: certFile,
  tlsKeyFile: keyFile,
  isHttp2On,
  threads,
}: Pick<Config, 'tlsCertFile' | 'tlsKeyFile' | 'isHttp2On' | 'threads'>): TlsSettings | null {
  if (certFile === null && keyFile === null) return null;
  if (certFile === null || keyFile === null) {
    const [missing, other] =
      certFile === null ? [CERT_VARIABLE, KEY_VARIABLE] : [KEY_VARIABLE, CERT_VARIABLE];
    throw new ConfigError(`${missing} must be set too: ${other} is, and TLS needs both.`);
  }
  return {
    certFile,
    keyFile,
    isHttp2On: isHttp2On && threads === 1,
    ticketSecret: randomBytes(TICKET_SECRET_BYTES),
  };
}

/** Opens the TLS of a process, null where it has none. ConfigError. */
export async function openConfiguredTls(
  settings: TlsSettings | null,
  log: Log,
): Promise<OpenTls | null> {
  return settings === null ? null : openTls(settings, { log });
}

/**
 * Opens the pair of files. ConfigError where it can't be used. `nowMs`: the wall
 * clock.
 */
export async function openTls(
  settings: TlsSettings,
  { log, nowMs = Date.now, lookMs = LOOK_MS }: TlsSurroundings,
): Promise<OpenTls> {
  const servers = new Set<TlsServer>();
  let stamp = await stampOf(settings);
  let certificate = await readCertificate(settings, nowMs());
  warnOf(settings, certificate, { log, nowMs: nowMs() });
  let ticketPeriod = periodOf(nowMs());
  let renewals = 0;
  let failures = 0;

  const contextOptions = () => ({
    cert: certificate.cert,
    key: certificate.key,
    ciphers: CIPHERS,
    honorCipherOrder: true,
    minVersion: 'TLSv1.2' as const,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    sessionIdContext: SESSION_ID_CONTEXT,
    sessionTimeout: SESSION_SECONDS,
    ticketKeys: ticketKeysOf(settings.ticketSecret, ticketPeriod),
  });

  async function renew(): Promise<void> {
    // Taken first: what is written while the files are read is seen at the next look.
    const newStamp = await stampOf(settings);
    try {
      certificate = await readCertificate(settings, nowMs());
      for (const server of servers) server.setSecureContext(contextOptions());
      renewals += 1;
      warnOf(settings, certificate, { log, nowMs: nowMs() });
      log.info('tls-renewed', { notAfter: new Date(certificate.notAfterMs).toISOString() });
    } catch (cause) {
      failures += 1;
      log.error('tls-renewal-failed', { cause });
    }
    stamp = newStamp;
  }

  async function look(): Promise<void> {
    const period = periodOf(nowMs());
    if (period !== ticketPeriod) {
      ticketPeriod = period;
      const keys = ticketKeysOf(settings.ticketSecret, period);
      for (const server of servers) server.setTicketKeys(keys);
    }
    if ((await stampOf(settings)) !== stamp) await renew();
  }

  const onSignal = () => void renew();
  process.on(RENEW_SIGNAL, onSignal);
  const looks = repeat('tls-look', look, { everyMs: lookMs, log });

  return {
    optionsOf: (hasHttp2) => ({
      ...contextOptions(),
      ALPNProtocols: settings.isHttp2On && hasHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    }),
    add: (server) => void servers.add(server),
    renew,
    async close() {
      process.off(RENEW_SIGNAL, onSignal);
      await looks.stop();
      servers.clear();
    },
    families: () => [
      metricFamily(
        'gauge',
        'quayside_tls_certificate_expires_seconds',
        'When the certificate expires, in seconds since 1970.',
        [[{}, Math.floor(certificate.notAfterMs / 1000)]],
      ),
      metricFamily('counter', 'quayside_tls_renewals_total', 'Renewals of the certificate.', [
        [{ result: 'done' }, renewals],
        [{ result: 'failed' }, failures],
      ]),
    ],
  };
}

/** What TLS needs of the process. `lookMs`: how often the files are looked at. */
export type TlsSurroundings = {
  readonly log: Log;
  readonly nowMs?: () => number;
  readonly lookMs?: number;
};

/** Says in the log what an operator should know of a pair that works all the same. */
function warnOf(
  { keyFile, certFile }: CertificateFiles,
  { isKeyOpen, notBeforeMs }: Certificate,
  { log, nowMs }: { readonly log: Log; readonly nowMs: number },
): void {
  if (isKeyOpen) {
    log.error('tls-key-readable', { keyFile, advice: 'Every account may read it: chmod o-r.' });
  }
  if (notBeforeMs > nowMs) {
    const notBefore = new Date(notBeforeMs).toISOString();
    log.error('tls-certificate-not-yet-valid', { certFile, notBefore });
  }
}

const periodOf = (nowMs: number) => Math.floor(nowMs / TICKET_KEY_MS);

function ticketKeysOf(secret: Uint8Array, period: number): Buffer {
  const info = `session tickets ${period}`;
  return Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), info, TICKET_KEYS_BYTES));
}

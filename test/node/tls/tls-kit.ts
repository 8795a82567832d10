// Servers over TLS on a free port, over the core that the fast path's tests have, and the pair of
// files that they show.
import { writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach } from 'vitest';
import { type NodeBindings, type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import { DIRECT, readRequest } from '../../../src/adapters/node/server/http-request.ts';
import {
  createClientReader,
  type ReadClient,
} from '../../../src/adapters/node/server/trusted-proxies.ts';
import type { CertificateFiles } from '../../../src/adapters/node/tls/certificate-files.ts';
import { type OpenTls, openTls } from '../../../src/adapters/node/tls/open-tls.ts';
import { createApp } from '../../../src/app.ts';
import { type Config, parseConfig } from '../../../src/config.ts';
import type { FastPath } from '../../../src/http/delivery/fast-path/fast-path.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import type { Log } from '../../../src/ports/system.ts';
import type { MemoryCore } from '../../core/memory-core.ts';
import { BASE_DOMAIN, WEBSITE_DOMAIN } from '../fast-path/both-paths.ts';
import { makeSelfSigned, type Validity } from '../kit/self-signed.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** Writes a fresh pair, over the one that is there. */
export function writePair(folder: string, validity: Validity = {}): CertificateFiles {
  const { key, cert } = makeSelfSigned(validity);
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

export type LogLine = { readonly event: string; readonly fields: Record<string, unknown> };

/** A log that keeps its lines. */
export function createTestLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (event: string, fields: object = {}) =>
    void lines.push({ event, fields: { ...fields } });
  return { log: { info: keep, error: keep }, lines };
}

export type TlsOptions = {
  readonly isHttp2On?: boolean;
  readonly ticketSecret?: Uint8Array;
  readonly lookMs?: number;
  readonly log?: Log;
  readonly nowMs?: () => number;
};

/** Opens the TLS of a folder that has a pair; it closes after the test. */
export async function openTestTls(
  files: CertificateFiles,
  { isHttp2On = true, ticketSecret = new Uint8Array(32), ...surroundings }: TlsOptions = {},
): Promise<OpenTls> {
  const { log = createTestLog().log } = surroundings;
  const tls = await openTls({ ...files, isHttp2On, ticketSecret }, { ...surroundings, log });
  open.push(tls);
  return tls;
}

export type TestTlsServer = RunningServer & {
  readonly port: number;
  readonly files: CertificateFiles;
};

type ServeOptions = Partial<Omit<Parameters<typeof serve>[1], 'tls'>>;

/**
 * Serves an app that answers as `ask` does, over TLS or, with `tls` null, plain. It closes after
 * the test.
 */
export async function startAsking(
  ask: (request: HttpRequest) => Response | Promise<Response>,
  { tls, ...options }: ServeOptions & { readonly tls?: TlsOptions | null } = {},
): Promise<TestTlsServer> {
  const files = writePair(temporaryFolder());
  const fastPath: FastPath & { readonly readClient: ReadClient } = {
    answerFully: ask,
    answer: () => null,
    answerSigned: () => null,
    decidingHeaders: [],
    signingHeaders: [],
    requestId: () => 'id',
    served: null,
    readClient: createClientReader(options.trustedProxies ?? []),
  };
  const fetch = (_request: Request, bindings: NodeBindings) =>
    ask(readRequest(bindings, { ...DIRECT, readClient: fastPath.readClient }));
  return startServing(fetch, fastPath, files, { ...options, tls });
}

/** Serves the whole app over a core. It closes after the test. */
export async function startApp(
  core: MemoryCore,
  {
    tls,
    settings = {},
    onFastAnswer = () => {},
    ...options
  }: ServeOptions & {
    readonly tls?: TlsOptions | null;
    readonly settings?: Partial<Config>;
    /** Hears of each plain read that the fast path answers. */
    readonly onFastAnswer?: () => void;
  } = {},
): Promise<TestTlsServer> {
  const config = {
    ...parseConfig({ QUAYSIDE_BASE_DOMAIN: BASE_DOMAIN, QUAYSIDE_WEBSITE_DOMAIN: WEBSITE_DOMAIN }),
    ...core.settings,
    ...settings,
  };
  const app = createApp<NodeBindings>(core.ports, config, (c) => readRequest(c.env));
  const files = writePair(temporaryFolder());
  const fastPath: FastPath = {
    ...app.fastPath,
    answer(read, askProtocol) {
      const response = app.fastPath.answer(read, askProtocol);
      if (response !== null) onFastAnswer();
      return response;
    },
  };
  return startServing(app.fetch as Parameters<typeof serve>[0], fastPath, files, {
    ...options,
    tls,
  });
}

async function startServing(
  fetch: Parameters<typeof serve>[0],
  fastPath: FastPath,
  files: CertificateFiles,
  { tls, ...options }: ServeOptions & { readonly tls?: TlsOptions | null | undefined },
): Promise<TestTlsServer> {
  const server = await serve(fetch, {
    host: '127.0.0.1',
    port: 0,
    log: createTestLog().log,
    fastPath,
    hasFastConnections: true,
    ...options,
    tls: tls === null ? null : await openTestTls(files, tls),
  });
  open.push({ close: () => server.close(0) });
  return { ...server, port: Number(new URL(server.url).port), files };
}

/** Connects by TLS, and waits for the handshake. It ends after the test. */
export async function connectTls(
  port: number,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  open.push({ close: () => void socket.destroy() });
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('It ended before the handshake.')));
  });
  return socket;
}

/** Connects by HTTP/2. It ends after the test. */
export function connectSession(port: number): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  open.push({ close: () => void session.destroy() });
  session.on('error', () => {});
  return session;
}

export type Http2Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Sends a request on a session; rejects when its stream ends without a response. */
export function requestOn(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Uint8Array | null = null,
): Promise<Http2Reply> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === null });
    let head: Record<string, string> | null = null;
    const chunks: Buffer[] = [];
    stream.on('response', (given) => {
      head = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, `${value}`]));
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      if (head === null) reject(new Error(`It ended without a response: ${stream.rstCode}`));
      else resolve({ status: Number(head[':status']), headers: head, body: Buffer.concat(chunks) });
    });
    if (body !== null) stream.end(body);
  });
}

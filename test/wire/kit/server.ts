// Starts a server of Quayside on a platform, for the wire suite and the benches: a process, a free
// port, an empty data folder. Stops it by its process id, with a bound on every wait. What the
// server prints is kept and shown when it fails to start.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorker } from '../../../scripts/deploy/worker-bundle.ts';
import { spawnWrangler } from '../../../scripts/wrangler.ts';
import { RESERVE_BYTES } from '../../node/kit/node-process.ts';
import { makeSelfSigned } from '../../node/kit/self-signed.ts';
import { profileFromEnv, type WireTarget } from './clients/target.ts';

/** A server of ours. `stop` resolves with its exit code, null when it had to be killed. */
export type WireServer = {
  readonly target: WireTarget;
  readonly process: ChildProcess;
  readonly folder: string;
  /** Milliseconds from the start of the process to its first answer. */
  readonly readyAfterMs: number;
  stop(): Promise<number | null>;
};

export type StartOptions = {
  /** Data folder to use and to leave in place; by default a fresh one, removed by `stop`. */
  folder?: string;
  env?: NodeJS.ProcessEnv;
  /** Whether the server on Node speaks HTTPS, with a certificate made for it. */
  isTls?: boolean;
};

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BASE_DOMAIN = 'quayside.test';
const WEBSITE_DOMAIN = 'web.quayside.test';
const METRICS_TOKEN = 'wire-suite-metrics-token';
const OTHER = {
  accountId: 'b'.repeat(64),
  accessKey: 'wire-suite-other-key',
  secretKey: 'wire-suite-other-secret-with-forty-symbols',
};
const { accountId: id, ...otherKey } = OTHER;
const SEED = JSON.stringify({ accounts: [{ id, displayName: 'other', keys: [otherKey] }] });
const KEYS = {
  accessKey: 'wire-suite-access-key',
  secretKey: 'wire-suite-secret-key-with-forty-symbols',
};

/**
 * wrangler bundles the Worker before it listens; on a busy machine of two cores that took up to 20
 * s.
 */
const START_LIMIT_MS = 60_000;
/** A drained server exits at once; it gets this long before it is killed. */
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 20;

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) =>
    probe.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Resolves when the server gives any HTTP answer; rejects when its process ends or the time is
 * over.
 */
async function untilReady(
  url: string,
  child: ChildProcess,
  printed: () => string,
): Promise<number> {
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < START_LIMIT_MS) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The server ended before it answered:\n${printed()}`);
    }
    const answer = await fetch(`${url}/-/health`, {
      signal: AbortSignal.timeout(START_LIMIT_MS),
    }).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
    if (answer !== null) return performance.now() - startedAtMs;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The server gave no answer within ${START_LIMIT_MS} ms:\n${printed()}`);
}

/**
 * Ends a process: SIGTERM, then SIGKILL. Resolves with its exit code, null when a signal ended it.
 */
async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const code = await ended;
  clearTimeout(timer);
  return code;
}

async function start(
  platform: 'node' | 'workers',
  launch: (port: number, folder: string) => ChildProcess | Promise<ChildProcess>,
  options: StartOptions,
  { scheme = 'http', ...promises }: { scheme?: 'http' | 'https'; stalenessSeconds: number },
): Promise<WireServer> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), `quayside-wire-${platform}-`)));
  const port = await freePort();
  const child = await launch(port, folder);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed = (printed + chunk).slice(-20_000);
      if (process.env.QUAYSIDE_WIRE_LOG) process.stderr.write(chunk);
    });
  }
  const url = `${scheme}://127.0.0.1:${port}`;
  const stop = async () => {
    const code = await end(child);
    if (options.folder === undefined)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    return code;
  };
  try {
    const readyAfterMs = await untilReady(url, child, () => printed);
    const profile = profileFromEnv(process.env);
    const target = {
      platform,
      url,
      ...KEYS,
      other: OTHER,
      region: 'us-east-1',
      baseDomain: BASE_DOMAIN,
      websiteDomain: WEBSITE_DOMAIN,
      ...promises,
      profile,
      metricsToken: METRICS_TOKEN,
      isTemporary: true,
    };
    return { target, process: child, folder, readyAfterMs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings that both platforms read under the same names. */
const SETTINGS = {
  QUAYSIDE_ROOT_ACCESS_KEY: KEYS.accessKey,
  QUAYSIDE_ROOT_SECRET_KEY: KEYS.secretKey,
  QUAYSIDE_BASE_DOMAIN: BASE_DOMAIN,
  QUAYSIDE_WEBSITE_DOMAIN: WEBSITE_DOMAIN,
  QUAYSIDE_METRICS_TOKEN: METRICS_TOKEN,
  QUAYSIDE_BUCKET_LOG_SECONDS: '1',
  QUAYSIDE_WEBHOOK_PRIVATE_TARGETS: 'on',
  QUAYSIDE_WEBHOOK_RETRY_MS: '50',
  QUAYSIDE_WEBHOOK_ATTEMPTS: '3',
  // No test lets a tier hang, and a busy machine is no failure.
  QUAYSIDE_TIER_LIMIT_MS: '20000',
  QUAYSIDE_MASTER_KEY: `${'00'.repeat(31)}01`,
  // All files of the suite share one account, and run at once.
  QUAYSIDE_API_REQUESTS_PER_MINUTE: '1000000',
};

/**
 * How long the Cloudflare platform may serve a pointer from memory here; the local KV adds no delay
 * of its own.
 */
const FRESH_SECONDS = 1;
const FRESH_SETTINGS = {
  QUAYSIDE_POINTER_FRESH_SECONDS: `${FRESH_SECONDS}`,
  QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS: '0',
  QUAYSIDE_NEGATIVE_FRESH_SECONDS: `${FRESH_SECONDS}`,
};

/** The server on Node, as `npm start` runs it. */
export function startNode(options: StartOptions = {}): Promise<WireServer> {
  const launch = (port: number, folder: string) => {
    const seedFile = join(folder, 'seed.json');
    writeFileSync(seedFile, SEED);
    const tls = options.isTls === true ? writeCertificate(folder) : {};
    return spawn(process.execPath, [join(ROOT, 'src', 'node.ts')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...SETTINGS,
        QUAYSIDE_HOST: '127.0.0.1',
        QUAYSIDE_PORT: String(port),
        QUAYSIDE_DATA_DIR: join(folder, 'data'),
        QUAYSIDE_SEED: seedFile,
        // The API's client (json-api.ts) comes from many addresses.
        QUAYSIDE_TRUSTED_PROXIES: '127.0.0.1',
        // A proxy in front would say a visitor's country; share-kit.ts does.
        QUAYSIDE_COUNTRY_HEADER: 'x-country',
        QUAYSIDE_DISK_RESERVE_BYTES: `${RESERVE_BYTES}`,
        ...tls,
        ...options.env,
      },
    });
  };
  const scheme = options.isTls === true ? 'https' : 'http';
  return start('node', launch, options, { scheme, stalenessSeconds: 0 });
}

/** Writes a certificate and its key, and gives the settings that name them. */
function writeCertificate(folder: string): NodeJS.ProcessEnv {
  const { cert, key } = makeSelfSigned();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return { QUAYSIDE_TLS_CERT: certFile, QUAYSIDE_TLS_KEY: keyFile };
}

/** The settings of the Cloudflare platform here. */
const WORKERS_SETTINGS = {
  ...SETTINGS,
  ...FRESH_SETTINGS,
  QUAYSIDE_SEED: SEED,
  // Tests wait for what was used to be recorded.
  QUAYSIDE_METER_FLUSH_SECONDS: '5',
  // No Worker can tell that a client is on the same machine.
  QUAYSIDE_SSE_C_OVER_HTTP: 'always',
  QUAYSIDE_SHARD_ROWS: process.env.QUAYSIDE_SHARD_ROWS ?? '0',
};

/**
 * The Cloudflare platform: what `npm run deploy` uploads, in workerd with local storage in the
 * folder.
 */
export function startWorkers(options: StartOptions = {}): Promise<WireServer> {
  const launch = async (port: number, folder: string) => {
    const script = join(folder, 'script');
    await bundleWorker(script);
    const args = [
      `${port}`,
      join(folder, 'data'),
      script,
      JSON.stringify({ ...WORKERS_SETTINGS, QUAYSIDE_DEV_SERVER: 'on' }),
    ];
    return spawn(
      process.execPath,
      [join(ROOT, 'test', 'wire', 'kit', 'workers-runtime.ts'), ...args],
      {
        cwd: folder,
        // Through the channel it learns of the end of this process.
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', ...options.env },
      },
    );
  };
  return start('workers', launch, options, { stalenessSeconds: FRESH_SECONDS });
}

/** The Cloudflare platform as `npm run dev` runs it, with its storage in the folder. */
export function startWranglerDev(options: StartOptions = {}): Promise<WireServer> {
  const launch = (port: number, folder: string) => {
    const vars = Object.entries(WORKERS_SETTINGS).flatMap(([name, value]) => [
      '--var',
      `${name}:${value}`,
    ]);
    const args = [
      'dev',
      '--ip',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--inspector-port',
      '0',
      '--persist-to',
      folder,
    ];
    return spawnWrangler(
      [...args, '--show-interactive-dev-session=false', '--log-level', 'warn', ...vars],
      {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          WRANGLER_REGISTRY_PATH: join(folder, 'registry'),
          WRANGLER_WRITE_LOGS: 'false',
          ...options.env,
        },
      },
    );
  };
  return start('workers', launch, options, { stalenessSeconds: FRESH_SECONDS });
}

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
// Long runs of one character, at every injection point of a request, against a server in a process
// of its own: none may hold up other requests meanwhile. QUAYSIDE_FUZZ_MORE=10 tries more of them,
// QUAYSIDE_FUZZ_SEED=random others.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { createRandom, pick } from '../fast-path/random.ts';
import { killNodeProcesses, startNodeProcess } from '../kit/node-process.ts';
import { apiAt, aws, expectOk, signIn } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { BUCKET, type InjectionPoint, WEBSITE_DOMAIN } from '../long-runs/injection-point.ts';
import {
  INJECTION_POINTS,
  PATTERNS_BUCKET,
  patternsPolicy,
  policyOf,
} from '../long-runs/injection-points.ts';

/** What expressions loop over, and a few pairs that begin something again and again. */
const RUNS = [
  ' ',
  '\t',
  '1',
  '"',
  ';',
  ',',
  '%',
  '=',
  '(',
  '{',
  '$',
  '*',
  '/',
  '.',
  '<',
  '&',
  'a',
  ':',
  '\\',
  '\xe9',
  '${',
  '{}',
  ', ',
  '; ',
  ';q=',
  '%20',
  '/../',
  '<a>',
  '&amp;',
  '""',
  'W/"',
  '*?',
  'a=',
];
/** Room for the rest of a head of 32 KiB; some points have the text three times. */
const LENGTHS = [10_000, 30_000];
/** What a request may hold up others by, milliseconds. */
const HOLD_UP_MS = 250;
/** A server that compiles or collects garbage holds up anything; a slow request does each time. */
const TRIES = 3;
/** Places tried with runs and lengths by chance. One takes 4 ms. */
const RANDOM_CASES = 1000;
/**
 * A request that is not answered by then says nothing here: whatever others ask is answered all the
 * while.
 */
const GIVE_UP_MS = 3000;
/** A server that answers nobody for so long may do so for hours. */
const STUCK_MS = 15_000;

const SITE_HOST = `${BUCKET}.${WEBSITE_DOMAIN}`;

type Case = { readonly point: InjectionPoint; readonly run: string; readonly length: number };

/** Cases that an examination found, with the longest text. */
const KNOWN: readonly (readonly [point: string, run: string])[] = [
  ['the type of a part', ' '],
  ['a grantee in a header', ' '],
  ['a bearer in a header', ' '],
  ['blanks within in a header', ' '],
  ['max-keys in the query of', '1'],
  ['Accept of', 'image/avif;'],
  ['document', '${'],
  ['many keys under', 'a'],
  ['a key under', 'a'],
  ['Referer under', 'a'],
  ['User-Agent under', 'a'],
  ['two headers under', 'a'],
];

describe('a long run of one character', () => {
  let url = '';
  let cookie = '';
  let health: Health;

  beforeAll(async () => {
    const node = await startNodeProcess(temporaryFolder(), {
      QUAYSIDE_ACCESS_LOG: 'combined',
      QUAYSIDE_ACCESS_LOG_FILE: `${temporaryFolder()}/access.log`,
      QUAYSIDE_WEBSITE_DOMAIN: WEBSITE_DOMAIN,
    });
    url = node.url;
    cookie = (await signIn(url)).cookie;
    await prepare(url, cookie);
    const pid = node.child.pid ?? 0;
    // Starting costs some hundred milliseconds: a clock at 0 would find nobody slow.
    expect(workedMs(pid)).toBeGreaterThan(0);
    health = await openHealth(url, pid);
    return async () => {
      health.close();
      await killNodeProcesses();
    };
  }, 60_000);

  it(
    'holds nobody up, wherever it stands',
    async () => {
      const random = createRandom(FUZZ_SEED);
      const known = KNOWN.flatMap(([start, run]) =>
        INJECTION_POINTS.filter(({ name }) => name.startsWith(start)).map(
          (point): Case => ({ point, run, length: 30_000 }),
        ),
      );
      const cases = Array.from(
        { length: fuzzRuns(RANDOM_CASES) },
        (): Case => ({
          point: pick(random, INJECTION_POINTS),
          run: pick(random, RUNS),
          length: pick(random, LENGTHS),
        }),
      );
      const wrong: string[] = [];
      for (const each of [...known, ...cases]) {
        const { heldMs, status } = await leastHoldUp(each);
        if (heldMs < HOLD_UP_MS && status !== 500) continue;
        wrong.push(
          `${each.point.name}, ${JSON.stringify(each.run)}: ${status}, ${Math.round(heldMs)} ms`,
        );
        if (heldMs >= STUCK_MS) break;
      }
      expect(wrong).toEqual([]);
    },
    60_000 * fuzzRuns(1),
  );

  type Outcome = { readonly heldMs: number; readonly status: number };

  async function leastHoldUp({ point, run, length }: Case): Promise<Outcome> {
    const text = run.repeat(Math.ceil(length / run.length)).slice(0, length);
    let least: Outcome = await holdUp(point, text);
    for (let i = 1; i < TRIES && least.heldMs >= HOLD_UP_MS && least.heldMs < STUCK_MS; i++) {
      const outcome = await holdUp(point, text);
      if (outcome.heldMs < least.heldMs) least = outcome;
    }
    return least;
  }

  /**
   * The longest time that the server was at work before it answered the health page, while the
   * request was under way, and how that was answered.
   */
  async function holdUp(point: InjectionPoint, text: string): Promise<Outcome> {
    let isDone = false;
    const answered = send(point, text)
      .catch(() => 0)
      .finally(() => {
        isDone = true;
      });
    let heldMs = 0;
    do heldMs = Math.max(heldMs, await health.askMs());
    while (!isDone && heldMs < STUCK_MS);
    return { heldMs, status: heldMs < STUCK_MS ? await answered : 0 };
  }

  /** The status of the answer; 0 without one. */
  async function send(point: InjectionPoint, text: string): Promise<number> {
    const sent = point.withText(text);
    if (sent.kind === 'raw') return exchange(url, `${sent.head.join('\r\n')}\r\n\r\n${sent.body}`);
    const response =
      sent.kind === 'api'
        ? await apiAt(url, cookie)(sent.method, sent.path, JSON.parse(sent.body ?? '{}'), {
            'if-match': '*',
          })
        : await aws.fetch(`${url}${sent.path}`, await withDigest(sent));
    await response.text();
    const isRuleFile = sent.path.startsWith(`/${BUCKET}/_`);
    if (isRuleFile)
      return exchange(url, `GET /go/a HTTP/1.1\r\nHost: ${SITE_HOST}\r\nConnection: close\r\n\r\n`);
    return response.status;
  }
});

/** Buckets with all settings that make more of a request be looked at. */
async function prepare(url: string, cookie: string): Promise<void> {
  const at = (path: string) => `${url}/${path}`;
  for (const name of [BUCKET, `${BUCKET}-settings`, PATTERNS_BUCKET])
    await expectOk(aws.fetch(at(name), { method: 'PUT' }));
  const anywhere = {
    Principal: '*',
    Resource: [`arn:aws:s3:::${BUCKET}`, `arn:aws:s3:::${BUCKET}/*`],
  };
  const policy = {
    Version: '2012-10-17',
    Statement: [
      {
        ...anywhere,
        Effect: 'Allow',
        Action: ['s3:GetObject*', 's3:PutObject*', 's3:ListBucket*', 's3:DeleteObject'],
      },
      {
        ...anywhere,
        Effect: 'Deny',
        Action: '*',
        Condition: {
          NumericGreaterThan: { 's3:max-keys': '5000' },
          StringLike: {
            'aws:Referer': ['*a?b*c', '*${aws:UserAgent}x*'],
            's3:prefix': '*aaaaaaaaab*',
          },
        },
      },
      {
        ...anywhere,
        Effect: 'Deny',
        Action: '*',
        Condition: { StringLike: { 'aws:UserAgent': `*${'1a?'.repeat(99)}` } },
      },
      {
        ...anywhere,
        Effect: 'Deny',
        Action: '*',
        Condition: { DateGreaterThan: { 's3:x-amz-acl': '2099-01-01' } },
      },
    ],
  };
  const settings = {
    policy,
    cors: [
      {
        allowedMethods: ['GET', 'PUT'],
        allowedOrigins: ['http://*.test'],
        allowedHeaders: ['x-*', '*-y'],
      },
    ],
    hosting: {
      hotlink: { allowedHosts: ['*.test'] },
      images: {},
      directoryListing: true,
      cacheControlRules: [{ match: '/**/*a?b*/**', cacheControl: 'no-cache' }],
    },
  };
  await expectOk(apiAt(url, cookie)('PATCH', `/buckets/${BUCKET}`, settings, { 'if-match': '*' }));
  for (const [key, type] of [
    ['read/a.txt', 'text/plain'],
    ['read/a.png', 'image/png'],
    ['index.html', 'text/html'],
  ]) {
    await expectOk(
      aws.fetch(at(`${BUCKET}/${key}`), {
        method: 'PUT',
        body: 'x',
        headers: { 'content-type': type ?? '' },
      }),
    );
  }
  for (const [name, document] of [
    [`${BUCKET}-settings`, policyOf({})],
    [PATTERNS_BUCKET, patternsPolicy()],
  ] as const) {
    await expectOk(
      aws.fetch(at(`${name}?policy`), { method: 'PUT', body: JSON.stringify(document) }),
    );
  }
}

async function withDigest({
  method,
  body,
}: {
  readonly method: string;
  readonly body: string | null;
}) {
  const bytes = new TextEncoder().encode(body ?? '');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toBase64();
  return {
    method,
    body: bytes,
    headers: { 'x-amz-checksum-sha256': digest, 'content-type': 'text/plain' },
  };
}

/**
 * Sends bytes and waits until the server has closed the connection; the status of what it answered,
 * or 0.
 */
function exchange(url: string, request: string): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    const timer = setTimeout(() => socket.destroy(), GIVE_UP_MS);
    let status = 0;
    socket.once('data', (chunk) => {
      status = Number(chunk.toString('latin1', 9, 12));
      socket.resume();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(status);
    });
    socket.write(Buffer.from(request, 'latin1'));
  });
}

type Health = {
  /**
   * Asks the health page, on a connection that stays. How long the server was at work until it
   * answered, milliseconds: a machine that is busy holds up anything, and says nothing.
   */
  askMs(): Promise<number>;
  close(): void;
};

async function openHealth(url: string, pid: number): Promise<Health> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject),
  );
  socket.on('error', () => {});
  return {
    askMs: () =>
      new Promise((resolve) => {
        const startedMs = performance.now();
        const workedBeforeMs = workedMs(pid);
        let text = '';
        const end = () => {
          clearTimeout(timer);
          socket.off('data', onData);
          const tookMs = performance.now() - startedMs;
          // Who has not answered by then may as well wait for ever as work.
          const isStuck = tookMs >= STUCK_MS;
          resolve(isStuck ? tookMs : Math.min(tookMs, workedMs(pid) - workedBeforeMs));
        };
        const timer = setTimeout(end, STUCK_MS);
        const onData = (chunk: Buffer) => {
          text += chunk.toString('latin1');
          if (text.includes('{"status":"ok"}')) end();
        };
        socket.on('data', onData);
        socket.write('GET /-/health HTTP/1.1\r\nHost: s3.test\r\n\r\n');
      }),
    close: () => void socket.destroy(),
  };
}

/**
 * How long the first thread of a process has been running on a core, milliseconds; the time of day
 * where the system does not say so. Source: Linux, Documentation/scheduler/sched-stats.rst.
 */
function workedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

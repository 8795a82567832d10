// Makes signed reads of every shape, right, odd and wrong, from a seed: the same number gives the
// same request anywhere. The signatures are of the tests' own signer, over what the server must
// make of the request.
import { createHmac } from 'node:crypto';
import type { AccessKey, AccessKeyId, AccountId } from '../../../src/domain/nouns.ts';
import {
  canonicalText,
  EMPTY_SHA256,
  type SignOptions,
  scopeOf,
  signCanonical,
} from '../../http/s3/kit/sign-for-test.ts';
import {
  BASE_DOMAIN,
  HOSTED_HOSTS,
  PUBLIC_BUCKET,
  RULED_BUCKET,
  RULED_TARGETS,
  SITE_BUCKET,
  SITE_KEYS,
} from './both-paths.ts';
import type { Conversation, TagsByKey } from './fuzz-requests.ts';
import { chance, createRandom, pick, type Random } from './random.ts';

export const ROOT_KEY = {
  id: 'ROOTROOTROOTROOTROOT',
  secret: 'root-secret-root-secret-root-secret',
} as const;

const friend = { id: 'f'.repeat(64) as AccountId, displayName: 'friend' };
const keyOf = (id: string, scope: NonNullable<AccessKey['scope']> | null): AccessKey => ({
  id: id as AccessKeyId,
  secret: `secret of ${id}`,
  account: friend,
  scope,
});
const NO_LIMITS = { buckets: null, prefixes: null, actions: null, sourceIps: null };
/** Keys of an account that owns nothing: without a scope, and with one of each kind. */
const SEEDED_KEYS: readonly AccessKey[] = [
  keyOf('FRIENDFRIENDFRIEND00', null),
  keyOf('SCOPEDSCOPEDSCOPED00', { ...NO_LIMITS, buckets: [PUBLIC_BUCKET], prefixes: ['a', 'big'] }),
  keyOf('SCOPEDSCOPEDSCOPED01', { ...NO_LIMITS, actions: ['s3:PutObject'] }),
  keyOf('SCOPEDSCOPEDSCOPED02', { ...NO_LIMITS, sourceIps: ['127.0.0.0/8'] }),
];

/** Settings of a server that knows all of these. */
export const SIGNERS = {
  rootAccessKey: ROOT_KEY.id,
  rootSecretKey: ROOT_KEY.secret,
  seed: SEEDED_KEYS,
};

/** The clock of the core stands still at this. */
const NOW = '20261120T000000Z';
const NOW_SECONDS = Date.UTC(2026, 10, 20) / 1000;
const DATES = [
  NOW,
  NOW,
  NOW,
  NOW,
  '20261120T001459Z',
  '20261120T001501Z',
  '20261119T234459Z',
  '20261119T235000Z',
];

const QUERIES: readonly string[] = [
  'x-id=GetObject',
  'x-id=HeadObject',
  'x-id=%zz',
  'X-Amz-Checksum-Mode=ENABLED',
  'X-Amz-Checksum-Mode=x',
  'response-content-type=text%2Fhtml',
  'response-content-type=text%2Fplain&response-content-type=x',
  'response-content-disposition=attachment%3B%20filename%3D%22a.txt%22',
  'response-expires=%FF',
  'response-cache-control=',
  'download=1',
  'download',
  'download=%C3%BC.txt',
  'versionId=null',
  'versionId=x',
  'partNumber=1',
  'tagging',
  'acl',
  'unknown=1',
  'X-Amz-Date=%zz',
  'X-Amz-Meta-A=b',
  'x-amz-acl=private',
];
const HEADERS: readonly string[] = [
  'X-Amz-User-Agent: test/1',
  'x-amz-checksum-mode: ENABLED',
  'x-amz-checksum-mode: enabled',
  'x-amz-checksum-mode: x',
  'x-amz-meta-a: b',
  'x-amz-expected-bucket-owner: x',
  'x-amz-server-side-encryption-customer-algorithm: AES256',
  'Range: bytes=0-1',
  'Range: bytes=-5',
  'Range: bytes=99999999-',
  'If-Match: "x"',
  'If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT',
  'If-Range: "x"',
  'Origin: http://h',
  'Want-Repr-Digest: sha-256=1',
  'Accept: */*',
  'Accept-Encoding: gzip',
  'User-Agent: Mozilla/5.0',
  'Referer: http://friend.test/a',
  'amz-sdk-invocation-id: 3a1d2f3c',
  'Date: x',
  'X-Odd:  two  spaces ',
];

type Draft = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly lines: readonly string[];
  /** Lines that are signed too. */
  readonly signed: readonly string[];
  readonly options: SignOptions;
};

/**
 * The canonical form of `name=value` pairs as the tests write them: sorted, and `=` behind each
 * name.
 */
function canonicalPairs(query: readonly string[]): string {
  return query
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&');
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const entries = lines.map((line): [string, string] => {
    const colonAt = line.indexOf(':');
    return [
      line.slice(0, colonAt).toLowerCase(),
      line
        .slice(colonAt + 1)
        .trim()
        .replace(/ +/g, ' '),
    ];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function signInHeader(draft: Draft, payloadHash: string): string {
  const { method, host, path, query, options } = draft;
  const { amzDate = NOW, accessKeyId = '' } = options;
  const own = [`x-amz-date: ${amzDate}`, `x-amz-content-sha256: ${payloadHash}`];
  const headers = headersOf([`Host: ${host}`, ...own, ...draft.signed]);
  const canonical = canonicalText({
    method,
    path,
    query: canonicalPairs(query),
    headers,
    payloadHash,
  });
  const credential = `${accessKeyId}/${scopeOf({ ...options, amzDate })}`;
  const names = Object.keys(headers).join(';');
  const signature = signCanonical(canonical, { ...options, amzDate });
  const authorization =
    `Authorization: AWS4-HMAC-SHA256 Credential=${credential}, ` +
    `SignedHeaders=${names}, Signature=${signature}`;
  return textOf(draft, query, [...own, authorization]);
}

function signInQuery(draft: Draft, expires: string): string {
  const { method, host, path, options } = draft;
  const { amzDate = NOW, accessKeyId = '' } = options;
  const headers = headersOf([`Host: ${host}`, ...draft.signed]);
  const credential = encodeURIComponent(`${accessKeyId}/${scopeOf({ ...options, amzDate })}`);
  const query = [
    ...draft.query,
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${credential}`,
    `X-Amz-Date=${amzDate}`,
    `X-Amz-Expires=${expires}`,
    `X-Amz-SignedHeaders=${encodeURIComponent(Object.keys(headers).join(';'))}`,
  ];
  const payloadHash = 'UNSIGNED-PAYLOAD';
  const canonical = canonicalText({
    method,
    path,
    query: canonicalPairs(query),
    headers,
    payloadHash,
  });
  const signature = signCanonical(canonical, { ...options, amzDate });
  return textOf(draft, [...query, `X-Amz-Signature=${signature}`], []);
}

/** Parameters of QUERIES that Version 2 signs. */
const SIGNED_BY_2 = /^(?:acl|tagging|versionId|partNumber|response-)/;

/**
 * A URL of Signature Version 2, which signs no host, and not what stands in the query but for some
 * names.
 */
function signByVersion2(draft: Draft, expires: string): string {
  const { method, host, path, options } = draft;
  const bucket = host.endsWith(`.${BASE_DOMAIN}`)
    ? `/${host.slice(0, -BASE_DOMAIN.length - 1)}`
    : '';
  const headers = Object.entries(headersOf([...draft.lines, ...draft.signed]))
    .filter(([name]) => name.startsWith('x-amz-'))
    .map(([name, value]) => `${name}:${value}\n`);
  const parameters = draft.query.filter((pair) => SIGNED_BY_2.test(pair)).map(decodedPair);
  const query = parameters.length === 0 ? '' : `?${parameters.sort().join('&')}`;
  const text = `${method}\n\n\n${expires}\n${headers.join('')}${bucket}${path}${query}`;
  const signature = createHmac('sha1', options.secret ?? '')
    .update(text)
    .digest('base64');
  const own = [
    `AWSAccessKeyId=${options.accessKeyId}`,
    `Signature=${encodeURIComponent(signature)}`,
  ];
  return textOf(draft, [...draft.query, ...own, `Expires=${expires}`], []);
}

function decodedPair(pair: string): string {
  try {
    return decodeURIComponent(pair).replace(/=$/, '');
  } catch {
    return pair;
  }
}

function textOf(draft: Draft, query: readonly string[], own: readonly string[]): string {
  const target = query.length === 0 ? draft.path : `${draft.path}?${query.join('&')}`;
  const lines = [`Host: ${draft.host}`, ...draft.lines, ...own, ...draft.signed];
  return `${draft.method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function makePlace(random: Random, etags: TagsByKey): Pick<Draft, 'host' | 'path'> {
  const key = encodeURIComponent(pick(random, [...etags.keys()])).replaceAll('%2F', '/');
  const host = pick(random, ['h', '127.0.0.1:9000']);
  const kind = random();
  if (kind < 0.5) return { host, path: `/${PUBLIC_BUCKET}/${key}` };
  if (kind < 0.65) return { host, path: pick(random, RULED_TARGETS) };
  if (kind < 0.75) return { host: `${PUBLIC_BUCKET}.${BASE_DOMAIN}`, path: `/${key}` };
  if (kind < 0.8)
    return {
      host: pick(random, HOSTED_HOSTS),
      path: pick(random, ['/index.html', '/page.html', '/']),
    };
  return {
    host,
    path: pick(random, [
      '/private/inline',
      `/${SITE_BUCKET}/page.html`,
      '/hosted/cat.jpg',
      `/${PUBLIC_BUCKET}/missing`,
      `/${PUBLIC_BUCKET}/encrypted`,
      `/${PUBLIC_BUCKET}`,
      '/none/x',
      '/',
      `/${RULED_BUCKET}/own/private`,
    ]),
  };
}

/** Every tenth or so is wrong in some way; the others differ in what they ask for. */
function makeSigned(random: Random, etags: TagsByKey): string {
  const isOdd = (probability: number) => chance(random, probability);
  const some = (from: readonly string[], probability: number) =>
    isOdd(probability) ? [pick(random, from)] : [];
  const caller = pick(random, [null, null, null, ...SEEDED_KEYS]);
  const key = caller ?? ROOT_KEY;
  const options: SignOptions = {
    accessKeyId: isOdd(0.03) ? 'NOBODYNOBODYNOBODY00' : key.id,
    secret: isOdd(0.03) ? 'another secret' : key.secret,
    amzDate: isOdd(0.1) ? pick(random, DATES) : NOW,
    region: pick(random, ['auto', 'us-east-1']),
  };
  const tag = pick(random, [...etags.values()])[0] ?? '';
  const draft: Draft = {
    ...makePlace(random, etags),
    method: pick(random, ['GET', 'GET', 'GET', 'HEAD']),
    query: [...some(QUERIES, 0.2), ...some(QUERIES, 0.1)],
    lines: [...some(HEADERS, 0.15), ...(isOdd(0.1) ? [`If-None-Match: "${tag}"`] : [])],
    signed: some(HEADERS, 0.25),
    options,
  };
  const isVersion2 = isOdd(0.2);
  const expires = isOdd(0.1)
    ? pick(random, ['0', 'x', ''])
    : `${NOW_SECONDS + pick(random, [-1, 0, 3600])}`;
  if (isVersion2) return changedAtTimes(signByVersion2(draft, expires));
  const request = isOdd(0.5)
    ? signInHeader(
        draft,
        isOdd(0.1)
          ? pick(random, ['x', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', EMPTY_SHA256])
          : 'UNSIGNED-PAYLOAD',
      )
    : signInQuery(draft, isOdd(0.1) ? pick(random, ['0', '-1', '604801', 'x', '60']) : '3600');
  return changedAtTimes(request);

  function changedAtTimes(text: string): string {
    return isOdd(0.12) ? changed(random, text) : text;
  }
}

/**
 * With one character changed, dropped or doubled: what was signed is mostly another request then.
 */
function changed(random: Random, request: string): string {
  const at = Math.floor(random() * (request.length - 4));
  const other = pick(random, [
    '',
    'a',
    '0',
    '%',
    '&',
    '=',
    '/',
    '.',
    `${request[at] ?? ''}${request[at] ?? ''}`,
  ]);
  return request.slice(0, at) + other + request.slice(at + 1);
}

/** A right GET of a path-style target. */
function signedGet(path: string, options: SignOptions): Buffer {
  const draft = { host: 'h', path, method: 'GET', query: [], lines: [], signed: [], options };
  return Buffer.from(signInHeader(draft, 'UNSIGNED-PAYLOAD'));
}

/** Wrong signatures that are diagnosed in one second; the clock of the core stands still. */
const DIAGNOSES = 50;

/**
 * What makes two servers over the same objects alike: requests after which both know the signing
 * keys, have diagnosed as many wrong signatures as they ever do, and the objects' bytes stand in
 * memory.
 */
export function signedWarmUp(): Conversation {
  const right = [ROOT_KEY, ...SEEDED_KEYS].flatMap(({ id: accessKeyId, secret }) =>
    ['auto', 'us-east-1'].map((region) =>
      signedGet('/pub/inline', { accessKeyId, secret, region }),
    ),
  );
  const wrong = signedGet('/pub/inline', { accessKeyId: ROOT_KEY.id, secret: 'wrong' });
  const root = { accessKeyId: ROOT_KEY.id, secret: ROOT_KEY.secret };
  const targets = [
    ...RULED_TARGETS,
    '/private/inline',
    '/hosted/cat.jpg',
    ...SITE_KEYS.map((key) => `/site/${key}`),
  ];
  const reads = targets.flatMap((target) => [signedGet(target, root), signedGet(target, root)]);
  return [...right, ...Array.from({ length: DIAGNOSES }, () => wrong), ...reads];
}

/**
 * The conversation of that number: one to three signed reads, each of which the server reads on its
 * own.
 */
export function makeSignedConversation(seed: number, etags: TagsByKey): Conversation {
  const random = createRandom(seed);
  const count = 1 + Math.floor(random() ** 2 * 3);
  return Array.from({ length: count }, () => Buffer.from(makeSigned(random, etags), 'latin1'));
}

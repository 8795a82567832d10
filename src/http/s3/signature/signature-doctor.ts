// Why a signature is wrong: tries a bounded set of the mistakes that clients and
// proxies make, and names the one whose request would have had this signature.
// sigv4.ts calls it after a signature failed. It says nothing that the caller, who
// made the signature, does not know; when nothing fits, the secret is the likely
// one, or a header that was changed.

import { DAY_MS } from '../../../domain/time.ts';
import type { HttpRequest } from '../../request.ts';
import { canonicalPath, canonicalRequest, type SignedParts } from './canonical-request.ts';
import type { Claims } from './credential.ts';
import { type Diagnose, NO_USUAL_MISTAKE } from './diagnose.ts';
import { queryMistakes } from './query-mistakes.ts';
import { formatAmzDate, parseRequestDate } from './request-time.ts';

/** A request as a client may have signed it. Absent fields: as its claims say. */
export type SignedOtherwise = {
  readonly canonical: string;
  /** The time in the string to sign, as `yyyymmddThhmmssZ`. */
  readonly amzDate?: string;
  /**
   * Scope of the string to sign and of the key; `isKeyAlone`: only the key was made
   * for it.
   */
  readonly scope?: { readonly date: string; readonly region: string; readonly isKeyAlone: boolean };
};

/** A request as the doctor looks at it. */
export type DiagnosedRequest = SignedParts & Pick<HttpRequest, 'rawQuery'>;

/** A mistake: a sentence for people, and what a client that made it has signed. */
type Suspicion = SignedOtherwise & { readonly finding: string };

/**
 * One sentence, or null when there were too many to diagnose. `isSignatureOf` says
 * whether something has the signature that was sent.
 */
export type DiagnoseSignature = (
  request: DiagnosedRequest,
  claims: Claims,
  isSignatureOf: (signed: SignedOtherwise) => boolean,
) => string | null;

/** Names that clients have for the service, apart from those in the request. */
export type ServiceNames = { readonly region: string; readonly ownHosts: readonly string[] };

/** Makes the doctor of an app. */
export function createSignatureDoctor(diagnose: Diagnose, names: ServiceNames): DiagnoseSignature {
  return (request, claims, isSignatureOf) => {
    const plain = canonicalRequest(request, claims, false);
    const finding = diagnose(others(plain, suspicions(request, claims, names)), isSignatureOf);
    return finding === NO_USUAL_MISTAKE ? `${finding} ${hostHint(request)}` : finding;
  };
}

/**
 * The last hint: most proxies that change the host do not forward the one that it
 * was.
 */
function hostHint({ host }: SignedParts): string {
  return (
    `The request came for the host "${host.slice(0, 100)}": a proxy in front must hand on ` +
    'the one that clients use.'
  );
}

/**
 * Leaves out what has been tried already: the request as it came, whose canonical
 * form is `plain`, and what another mistake makes of it too.
 */
function* others(plain: string, all: Iterable<Suspicion>): Generator<Suspicion> {
  const tried = new Set([plain]);
  for (const suspicion of all) {
    const { canonical, amzDate, scope } = suspicion;
    const isOfItsOwn = amzDate !== undefined || scope !== undefined;
    if (!isOfItsOwn && tried.has(canonical)) continue;
    tried.add(canonical);
    yield suspicion;
  }
}

function* suspicions(
  request: DiagnosedRequest,
  claims: Claims,
  { region, ownHosts }: ServiceNames,
): Generator<Suspicion> {
  yield* pathSuspicions(request, claims);
  yield* hostSuspicions(request, claims, ownHosts);
  yield* clockSuspicions(request, claims);
  yield* regionSuspicions(request, claims, region);
  yield* queryMistakes(request, claims);
  for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
    yield {
      finding: `The request was signed for ${method}, but came as ${request.method}.`,
      canonical: canonicalRequest(changed(request, { method }), claims, false),
    };
  }
  yield* headerSuspicions(request, claims);
}

function* pathSuspicions(request: SignedParts, claims: Claims): Generator<Suspicion> {
  const { rawPath } = request;
  const own = canonicalPath(rawPath);
  const twice = own.replaceAll('%', '%25');
  const [label = ''] = request.host.split('.');
  const paths: readonly (readonly [path: string, finding: string])[] = [
    [twice, 'The client encoded the path twice when it signed; S3 encodes it once.'],
    [own.replaceAll('%2B', '%20'), 'The client signed a space where the path has a plus.'],
    [own.replaceAll('%20', '%2B'), 'The client signed a plus where the path has a space.'],
    [own.replace(/\/{2,}/g, '/'), 'The client, or a proxy, joined the double slashes of the path.'],
    [withoutDots(own), 'The client, or a proxy, resolved the dots in the path.'],
    [
      own.endsWith('/') ? own.slice(0, -1) || '/' : `${own}/`,
      'The path was signed with another slash at its end.',
    ],
    [
      own.replace(/^\/[^/]+/, '') || '/',
      'The client signed the path without the bucket (virtual-hosted style), but the ' +
        'request has it.',
    ],
    [
      `/${label}${own}`,
      'The client signed the path with the bucket in front (path style), but the request ' +
        'has it in the host.',
    ],
  ];
  for (const [path, finding] of paths) {
    // The canonical form of what stands here already is itself: only the line of
    // the path is another.
    const canonical = canonicalRequest(request, claims, false);
    const [method, , ...rest] = canonical.split('\n');
    yield { finding, canonical: [method, path, ...rest].join('\n') };
  }
}

function withoutDots(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Hosts tried of a list that proxies wrote, and of the service's own. */
const FORWARDED_MAX = 3;
const OWN_HOSTS_MAX = 4;

/**
 * A proxy that rewrites the host leaves the one that the client signed in headers
 * of its own, if anywhere. It may be one of the service's own.
 */
function* hostSuspicions(
  request: SignedParts,
  claims: Claims,
  ownHosts: readonly string[],
): Generator<Suspicion> {
  const { host } = request;
  const [name = host, port = ''] = host.split(':');
  const forwarded = [
    request.header('x-forwarded-host'),
    /host="?([^";,\s]+)/i.exec(request.header('forwarded') ?? '')?.[1],
  ];
  const hosts = new Set<string>([name, `${name}:80`, `${name}:443`, host.toLowerCase()]);
  const reported = forwarded.flatMap((value) => value?.split(',') ?? []).map((each) => each.trim());
  const ports = [request.header('x-forwarded-port') ?? '', port].filter((each) => each !== '');
  for (const each of [
    name,
    ...reported.slice(0, FORWARDED_MAX),
    ...ownHosts.slice(0, OWN_HOSTS_MAX),
  ]) {
    hosts.add(each);
    for (const suffix of ports) hosts.add(`${each}:${suffix}`);
  }
  for (const other of hosts) {
    yield {
      finding:
        `The client signed the host "${other}", but the request came with "${host}": a proxy ` +
        'in front must keep the Host header.',
      canonical: canonicalRequest(changed(request, { host: other }), claims, false),
    };
  }
}

/**
 * A client that looks at two clocks, or at one twice, may sign another time than it
 * sends.
 */
function* clockSuspicions(request: SignedParts, claims: Claims): Generator<Suspicion> {
  const canonical = canonicalRequest(request, claims, false);
  const { amzDate, timeMs } = claims.time;
  const { date, region } = claims.credential;
  const dated = request.header('date');
  const times = new Set([timeMs - 1000, timeMs + 1000].map(formatAmzDate));
  const other = dated === null ? null : parseRequestDate(dated.trim());
  if (other !== null) times.add(other.amzDate);
  times.delete(amzDate);
  const isDateSigned = claims.signedHeaders.has('x-amz-date');
  for (const time of times) {
    const finding =
      `The client signed the time ${time}, but ${amzDate} came: both must be of one look at ` +
      'the clock, in UTC, and nothing on the way may change it.';
    yield { finding, canonical, amzDate: time };
    if (!isDateSigned) continue;
    const header = (name: string) => (name === 'x-amz-date' ? time : request.header(name));
    yield {
      finding,
      canonical: canonicalRequest(changed(request, { header }), claims, false),
      amzDate: time,
    };
  }
  for (const dayMs of [-DAY_MS, DAY_MS]) {
    const day = formatAmzDate(timeMs + dayMs).slice(0, 8);
    yield {
      finding:
        `The client made its signing key for the day ${day}, but signed on ${date}: the day ` +
        'is that of the request, in UTC.',
      canonical,
      scope: { date: day, region, isKeyAlone: true },
    };
  }
}

/** Regions that clients fall back to, besides the service's own. */
const USUAL_REGIONS = ['us-east-1', 'auto', ''];

/**
 * Any region will do, but it must be the same in the credential, in the string to
 * sign and in the key.
 */
function* regionSuspicions(
  request: SignedParts,
  claims: Claims,
  own: string,
): Generator<Suspicion> {
  const canonical = canonicalRequest(request, claims, false);
  const { date, region: claimed } = claims.credential;
  const regions = new Set([own, ...USUAL_REGIONS]);
  regions.delete(claimed);
  for (const region of regions) {
    for (const isKeyAlone of [true, false]) {
      yield {
        finding:
          `The client signed for the region "${region}", but its credential says ` +
          `"${claimed}": use one region for both.`,
        canonical,
        scope: { date, region, isKeyAlone },
      };
    }
  }
}

/** Signed headers that clients and proxies are known to change after signing. */
const TOUCHED: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'accept-encoding',
    [
      'identity',
      'gzip',
      'gzip, deflate',
      'gzip, deflate, br',
      'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
      '',
    ],
  ],
  ['expect', ['', '100-continue']],
  ['connection', ['', 'keep-alive', 'close']],
  ['content-length', ['', '0']],
  ['transfer-encoding', ['', 'chunked']],
  [
    'content-type',
    [
      '',
      'application/octet-stream',
      'binary/octet-stream',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/json',
      'text/plain',
    ],
  ],
];

/**
 * Values that a client may have sent there: the usual ones, and its own type with a
 * character set or without.
 */
function* valuesOf(name: string, usual: readonly string[], own: string): Generator<string> {
  yield* usual;
  if (name !== 'content-type') return;
  const [type = ''] = own.split(';');
  for (const parameter of [
    '',
    ';charset=UTF-8',
    '; charset=utf-8',
    ';charset=utf-8',
    '; charset=UTF-8',
  ]) {
    yield `${type.trim()}${parameter}`;
  }
}

function* headerSuspicions(request: SignedParts, claims: Claims): Generator<Suspicion> {
  for (const [name, values] of TOUCHED) {
    const own = request.header(name) ?? '';
    for (const value of valuesOf(name, values, own)) {
      const header = (other: string) => (other === name ? value : request.header(other));
      yield {
        finding:
          `The client signed ${name} as "${value}", but it came as "${own.slice(0, 100)}": ` +
          'sign fewer headers, or keep a proxy from changing it.',
        canonical: canonicalRequest(changed(request, { header }), claims, false),
      };
    }
  }
}

function changed(request: SignedParts, change: Partial<SignedParts>): SignedParts {
  const { method, rawPath, host } = request;
  return { method, rawPath, host, header: (name) => request.header(name), ...change };
}

// Keeps a response in the coding that its object is stored in. What stands between
// the Worker and its readers decodes a body, or encodes it anew, for readers who
// ask for another coding: length, digest and entity tag are those of other bytes
// then, and a range of a coded body can't be decoded at all. Called by worker.ts
// for each response.
import { acceptEncoding } from './worker-request.ts';

const CONTENT_ENCODING = 'content-encoding';
const CACHE_CONTROL = 'cache-control';
const NO_TRANSFORM = 'no-transform';

/**
 * Codings that wrangler's dev server decodes and encodes. Source: miniflare 5,
 * ensureAcceptableEncoding.
 */
const DEV_CODINGS: ReadonlySet<string> = new Set(['gzip', 'br']);
/** Types that it leaves alone, besides rarer ones. */
const DEV_LEAVES =
  /^(?:application\/octet-stream|(?:binary|audio|video)\/|image\/(?!x-icon|vnd\.|svg))/i;
const NOT_ACCEPTED = /;[\t ]*q=0(?:\.0*)?$/;

/**
 * Changes the headers of a response with a Content-Encoding. The edge gets
 * `no-transform` where the reader does not name that coding. wrangler's dev server
 * ignores that, so it gets the coding in capitals: it does not know the name then,
 * and HTTP clients ignore case (RFC 9110 section 8.4.1). Source:
 * https://developers.cloudflare.com/speed/optimization/content/compression/
 */
export function keepCoding(request: Request, headers: Headers, isDevServer: boolean): void {
  const coding = headers.get(CONTENT_ENCODING);
  if (coding === null) return;
  const accepted = acceptEncoding(request);
  if (isDevServer) {
    const isLeft = !DEV_CODINGS.has(coding) || DEV_LEAVES.test(headers.get('content-type') ?? '');
    if (!isLeft && !isGivenByDevServer(accepted, coding)) {
      headers.set(CONTENT_ENCODING, coding.toUpperCase());
    }
  } else if (!isNamed(accepted, coding)) {
    const policy = headers.get(CACHE_CONTROL);
    if (policy?.toLowerCase().includes(NO_TRANSFORM)) return;
    headers.set(CACHE_CONTROL, policy === null ? NO_TRANSFORM : `${policy}, ${NO_TRANSFORM}`);
  }
}

/**
 * Whether the dev server would give this reader this coding: the first that both
 * know.
 */
function isGivenByDevServer(accepted: string | null, coding: string): boolean {
  if (accepted === null) return true;
  // Qualities would have to be sorted as it does; hardly any client sends them.
  if (accepted.includes('=')) return false;
  const names = accepted.split(',').map((name) => name.trim());
  return names.find((name) => DEV_CODINGS.has(name) || name === 'identity') === coding;
}

function isNamed(accepted: string | null, coding: string): boolean {
  const names = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((each) => !NOT_ACCEPTED.test(each.trim()))
    .map((each) => each.split(';', 1)[0]?.trim());
  return coding
    .toLowerCase()
    .split(',')
    .every((each) => names.includes(each.trim()) || names.includes('*'));
}

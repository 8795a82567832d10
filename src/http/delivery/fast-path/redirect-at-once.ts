// Redirects of sites out of memory. Called by answer-at-once.ts. Headers and count
// are those of the full path (site/site-responses.ts).
import type { Core } from '../../../core/core.ts';
import type { BucketReadPolicy } from '../../../domain/nouns.ts';
import { NO_GRANT, withCors } from '../../semantics/cors.ts';
import { countRead } from '../count-read.ts';
import type { FeaturesOf } from '../features/read-feature.ts';
import type { Redirect } from '../site/redirects.ts';
import { redirectHeaders } from '../site/site-responses.ts';
import type { PlainRead } from './fast-path.ts';
import type { FastPathCountsBySurface } from './fast-path-counts.ts';
import { type FastResponse, type ResponseOwner, wholeResponse } from './fast-response.ts';

/** Answers and counts it, or gives null and does nothing. */
export type RedirectAtOnce = (
  read: PlainRead,
  readPolicy: BucketReadPolicy,
  redirect: Redirect,
  owner: ResponseOwner,
) => FastResponse | null;

export type RedirectAtOnceOptions = {
  readonly counts: FastPathCountsBySurface;
  readonly featuresOf: FeaturesOf;
};

/** What a head may hold; the owner's text can be anything. */
const LOCATION = /^[\x21-\x7e]*$/;

/** Makes it. Cost: 0.1 µs for a target that was sent before. */
export function createRedirectAtOnce(core: Core, options: RedirectAtOnceOptions): RedirectAtOnce {
  const { meter } = core.ports;
  const { counts, featuresOf } = options;
  // A redirect is kept with the plan of its path, which ends with the settings.
  const known = new WeakMap<Redirect, FastResponse['headers']>();

  function headersOf(redirect: Redirect, readPolicy: BucketReadPolicy): FastResponse['headers'] {
    let headers = known.get(redirect);
    if (headers === undefined) {
      const own = redirectHeaders(redirect);
      headers = readPolicy.settings.cors === null ? own : withCors(own, NO_GRANT);
      known.set(redirect, headers);
    }
    return headers;
  }

  return (read, readPolicy, redirect, owner) => {
    const { leavesAll, admits } = featuresOf(readPolicy).atOnce;
    if (leavesAll || !LOCATION.test(redirect.location)) return null;
    if (admits !== null && !admits(readPolicy, 0)) return null;
    if (read.isHead) counts[owner.surface].headRedirected += 1;
    else counts[owner.surface].getRedirected += 1;
    countRead(meter, readPolicy, 0, 'none', 'STANDARD');
    return wholeResponse(redirect.status, headersOf(redirect, readPolicy), owner, null);
  };
}

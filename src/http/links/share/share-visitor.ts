// Where a visitor of a share link comes from, as its owner may know: the host of the
// page that led here, and the country. No address, no cookie. Pure.
import type { ShareVisitor } from '../../../core/links/share/share-counts.ts';
import { REFERRER_HOST_MAX_LENGTH } from '../../../domain/links/link-limits.ts';

/** Two capital letters. Source: ISO 3166-1 alpha-2 */
const COUNTRY = /^[A-Z]{2}$/;
const HOST = /^[a-z0-9.-]+$/;

/** A request whose client is in some country, by the platform or by a proxy in front. */
type Located = { readonly country?: () => string | null; header(name: string): string | null };

/** Reads the country of a client; null: nobody can tell. */
export type CountryOf = (request: Located) => string | null;

/** Makes it. `header`: where a proxy of the operator says it; null: none does. */
export function createCountryOf(header: string | null): CountryOf {
  return (request) => request.country?.() ?? (header === null ? null : request.header(header));
}

type Referred = { readonly host: string; header(name: 'referer'): string | null };

/** The visitor of a request. */
export function visitorOf<Request extends Referred>(
  request: Request,
  countryOf: (request: Request) => string | null,
): ShareVisitor {
  const country = countryOf(request);
  return {
    referrer: referrerHost(request),
    country: country !== null && COUNTRY.test(country) ? country : null,
  };
}

/** The host of another site's page that led here; null: this one's, or nobody says. */
function referrerHost({ header, host }: Referred): string | null {
  const referrer = header('referer');
  const start = referrer?.indexOf('://') ?? -1;
  if (referrer === null || start === -1) return null;
  const from = start + '://'.length;
  const rest = referrer.slice(from, from + REFERRER_HOST_MAX_LENGTH + 1);
  const [authority = ''] = rest.split(/[/?#:]/, 1);
  const name = authority.toLowerCase();
  if (name.length > REFERRER_HOST_MAX_LENGTH || !HOST.test(name)) return null;
  return name === host.split(':', 1)[0]?.toLowerCase() ? null : name;
}

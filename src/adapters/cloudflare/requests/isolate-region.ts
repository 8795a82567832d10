// In which part of the world this isolate runs, by where its first client is: clients
// reach the colo that is nearest to them. A relay that is chosen by it may be further
// away than another one, never wrong. worker.ts notes it, ports.ts reads it.
import type { LocationHint } from '../../../domain/locations/bucket-locations.ts';

/** What the runtime says of a client. */
type Client = { readonly continent?: unknown; readonly longitude?: unknown };

/** Degrees of longitude that part a continent in two: 100° W, 20° E, 65° E. */
const WEST_OF_AMERICA = -100;
const EAST_OF_EUROPE = 20;
const EAST_OF_MIDDLE_EAST = 65;

/** The part of the world of a client; null: the runtime does not say. */
export function regionOf({ continent, longitude }: Client): LocationHint | null {
  const degrees = Number(longitude ?? Number.NaN);
  switch (continent) {
    case 'NA':
      return degrees < WEST_OF_AMERICA ? 'wnam' : 'enam';
    case 'EU':
      return degrees > EAST_OF_EUROPE ? 'eeur' : 'weur';
    case 'AS':
      return degrees < EAST_OF_MIDDLE_EAST ? 'me' : 'apac';
    case 'SA':
    case 'AN':
      return 'sam';
    case 'AF':
      return 'afr';
    case 'OC':
      return 'oc';
    default:
      return null;
  }
}

export type IsolateRegion = {
  note(request: Request): void;
  /** Null: no request has come yet that says it. */
  here(): LocationHint | null;
};

export function createIsolateRegion(): IsolateRegion {
  let region: LocationHint | null = null;
  return {
    note(request) {
      const { cf } = request as { readonly cf?: Client };
      if (region === null && cf !== undefined) region = regionOf(cf);
    },
    here: () => region,
  };
}

// Where the index of a bucket may live on Cloudflare: near a part of the world, or
// within a jurisdiction. It is chosen when the bucket is made. Source:
// https://developers.cloudflare.com/durable-objects/reference/data-location/

/** Parts of the world, as hints: the platform chooses something near. */
export const LOCATION_HINTS = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'apac',
  'apac-ne',
  'apac-se',
  'oc',
  'afr',
  'me',
] as const;

/** Jurisdictions, which an index never leaves. */
export const JURISDICTIONS = ['eu', 'us', 'fedramp', 'fedramp-high'] as const;

export const BUCKET_LOCATIONS = [...LOCATION_HINTS, ...JURISDICTIONS] as const;

export type LocationHint = (typeof LOCATION_HINTS)[number];
export type Jurisdiction = (typeof JURISDICTIONS)[number];
export type BucketLocation = (typeof BUCKET_LOCATIONS)[number];

/** The jurisdiction that a location is; null: it is a hint, or none. */
export function jurisdictionOf(location: BucketLocation | null): Jurisdiction | null {
  return JURISDICTIONS.find((jurisdiction) => jurisdiction === location) ?? null;
}

/** The location of that name, in any case; null: there is none. */
export function parseBucketLocation(text: string): BucketLocation | null {
  const name = text.toLowerCase();
  return BUCKET_LOCATIONS.find((location) => location === name) ?? null;
}

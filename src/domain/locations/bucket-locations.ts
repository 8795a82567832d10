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

/** Beginnings of AWS regions, the first that fits counts. */
const HINTS_OF_REGIONS: readonly (readonly [string, LocationHint])[] = [
  ['us-west-', 'wnam'],
  ['us-', 'enam'],
  ['ca-west-', 'wnam'],
  ['ca-', 'enam'],
  ['mx-', 'enam'],
  ['sa-', 'sam'],
  ['eu-', 'weur'],
  ['ap-northeast-', 'apac-ne'],
  ['ap-southeast-2', 'oc'],
  ['ap-southeast-4', 'oc'],
  ['ap-southeast-6', 'oc'],
  ['ap-southeast-', 'apac-se'],
  ['ap-', 'apac'],
  ['af-', 'afr'],
  ['me-', 'me'],
  ['il-', 'me'],
];

/** The location that a region of AWS is in; null: it is none. */
export function locationOfRegion(region: string): BucketLocation | null {
  return HINTS_OF_REGIONS.find(([beginning]) => region.startsWith(beginning))?.[1] ?? null;
}

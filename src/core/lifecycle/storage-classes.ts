// Storage classes in the order of S3's lifecycle waterfall, from warm to cold. The
// class is shown to the owner, and billed. On Node all classes are stored alike; on
// Cloudflare new objects of infrequent classes go to R2's Infrequent Access.
// Source: lifecycle-transition-general-considerations.html in
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/

/** Classes that a lifecycle can move objects to, the warmest first. */
export const TRANSITION_CLASSES: readonly string[] = [
  'STANDARD_IA',
  'INTELLIGENT_TIERING',
  'ONEZONE_IA',
  'GLACIER_IR',
];

/**
 * Archive classes of S3, whose objects must be restored before they are read; not
 * supported here.
 */
export const ARCHIVE_CLASSES: ReadonlySet<string> = new Set(['GLACIER', 'DEEP_ARCHIVE']);

/** Days before an object may go to an infrequent class. Source: as above. */
export const INFREQUENT_MIN_DAYS = 30;
/** The classes to which INFREQUENT_MIN_DAYS applies. */
export const INFREQUENT_CLASSES: ReadonlySet<string> = new Set(['STANDARD_IA', 'ONEZONE_IA']);

/**
 * Ranks how cold a class is; an object only ever gets colder. STANDARD and unknown
 * classes are 0.
 */
export function coldnessOf(storageClass: string): number {
  return TRANSITION_CLASSES.indexOf(storageClass) + 1;
}

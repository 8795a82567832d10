// The storage classes in the order in which S3 lets objects fall through them. The class is what
// the owner is told, and billed. On Node all are stored alike; on Cloudflare what is written for
// seldom reading goes to R2's Infrequent Access. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html

/** Classes that a lifecycle can move objects to, the warmest first. */
export const TRANSITION_CLASSES: readonly string[] = [
  'STANDARD_IA',
  'INTELLIGENT_TIERING',
  'ONEZONE_IA',
  'GLACIER_IR',
];

/**
 * Classes that S3 archives objects in, out of sight until they are restored: nothing here is ever
 * archived.
 */
export const ARCHIVE_CLASSES: ReadonlySet<string> = new Set(['GLACIER', 'DEEP_ARCHIVE']);

/** Days that an object must have been stored before it may go to one of these. Source: as above. */
export const INFREQUENT_MIN_DAYS = 30;
export const INFREQUENT_CLASSES: ReadonlySet<string> = new Set(['STANDARD_IA', 'ONEZONE_IA']);

/** How cold a class is; an object only ever gets colder. STANDARD, and what we don't know, is 0. */
export function coldnessOf(storageClass: string): number {
  return TRANSITION_CLASSES.indexOf(storageClass) + 1;
}

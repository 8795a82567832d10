// Limits that S3 fixes, and of documents and images. Called throughout core and
// http. Source: https://docs.aws.amazon.com/general/latest/gr/s3.html and
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html (read November
// 2026).

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** Longest key, bytes of UTF-8. */
export const KEY_MAX_BYTES = 1024;
/** Largest body of one PUT or one part, bytes. */
export const PUT_MAX_BYTES = 5 * GiB;
/** Largest object, bytes. */
export const OBJECT_MAX_BYTES = 5 * 1024 * GiB;
/** Smallest part that is not the last, bytes. */
export const PART_MIN_BYTES = 5 * MiB;
/** Highest part number; part numbers start at 1. */
export const PART_NUMBER_MAX = 10_000;
/** User metadata: names without the prefix and values together, bytes. */
export const USER_METADATA_MAX_BYTES = 2048;
/** Rows of one listing page. */
export const LIST_MAX_KEYS = 1000;
/** Keys of one DeleteObjects request. */
export const DELETE_MAX_KEYS = 1000;
/**
 * Largest XML request body, bytes (a CompleteMultipartUpload of 10,000 parts with
 * checksums needs about 2 MiB).
 */
export const XML_MAX_BYTES = 4 * MiB;
/**
 * Elements of one XML document: parts of a CompleteMultipartUpload, or rules of a
 * lifecycle. Each costs a microsecond.
 */
export const XML_MAX_ELEMENTS = 100_000;
/**
 * Largest DeleteObjects document, bytes: 1,000 of the longest keys with all that
 * may stand beside them are 1.3 MiB.
 */
export const DELETE_MAX_BYTES = 2 * MiB;
/**
 * Elements of a DeleteObjects document: the root, Quiet, six for each key, and 100
 * to spare.
 */
export const DELETE_MAX_ELEMENTS = 6 * DELETE_MAX_KEYS + 102;
/**
 * Largest document of any other setting, bytes: 50 tags of the longest names and
 * values fit, or 100 grants.
 */
export const SETTING_MAX_BYTES = 128 * 1024;
/** Largest lifecycle, bytes: 1,000 rules. The JSON API takes as much. */
export const LIFECYCLE_MAX_BYTES = MiB;
/**
 * Largest notification configuration, bytes: 100 rules with all events and the
 * longest prefixes and suffixes.
 */
export const NOTIFICATION_MAX_BYTES = 512 * 1024;
/**
 * Largest CORS configuration, bytes. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html
 */
export const CORS_MAX_BYTES = 64 * 1024;
/** Rules of one CORS configuration. Source: as above. */
export const CORS_MAX_RULES = 100;
/**
 * Largest website configuration, bytes. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html
 */
export const WEBSITE_MAX_BYTES = 128 * 1024;
/** Routing rules of one website. Source: as above. */
export const ROUTING_MAX_RULES = 50;
/**
 * Rules of one lifecycle. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
 */
export const LIFECYCLE_MAX_RULES = 1000;
/** Characters of a rule's ID. Source: API_LifecycleRule. */
export const LIFECYCLE_ID_MAX_LENGTH = 255;
/** Newer versions that a rule may keep. Source: API_NoncurrentVersionExpiration. */
export const LIFECYCLE_MAX_NEWER_VERSIONS = 100;
/**
 * Tags of one object. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
 */
export const OBJECT_MAX_TAGS = 10;
/**
 * Tags of one bucket. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/tagging-managing.html
 */
export const BUCKET_MAX_TAGS = 50;
/** Longest key of a tag, UTF-16 units. Source: as for OBJECT_MAX_TAGS. */
export const TAG_KEY_MAX_LENGTH = 128;
/** Longest value of a tag, UTF-16 units. Source: as for OBJECT_MAX_TAGS. */
export const TAG_VALUE_MAX_LENGTH = 256;
/**
 * Longest default retention. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html (up to 100
 * years)
 */
export const RETENTION_MAX_DAYS = 36_500;
export const RETENTION_MAX_YEARS = 100;
/** Largest document of a purge, bytes. */
export const PURGE_MAX_BYTES = 128 * 1024;
/** Scopes of one purge. */
export const PURGE_MAX_SCOPES = 100;
/** Largest bucket policy, bytes. */
export const POLICY_MAX_BYTES = 20 * 1024;
/**
 * Longest encryption context of SSE-KMS, characters of its base64. S3 takes 8,192;
 * here it is stored with every blob, whose metadata has 8 KiB in all on R2.
 */
export const ENCRYPTION_CONTEXT_MAX_LENGTH = 1024;
/** Largest encryption configuration of a bucket: one rule with a key id. Bytes. */
export const ENCRYPTION_DOCUMENT_MAX_BYTES = 8 * 1024;
/**
 * Largest width and height of a derived image, pixels. 16 megapixels take half a
 * second.
 */
export const IMAGE_MAX_SIDE_PX = 4096;
/** Largest source of derived images, bytes: it is read into memory. */
export const IMAGE_SOURCE_MAX_BYTES = 24 * 1024 * 1024;

// Recognises file names with a content hash, which build tools make: such a file
// never changes and may be cached as immutable. Words, dates and ids can look like
// a hash, and a wrong guess stays in browsers for a year, where no purge reaches
// it. So a doubtful name has no hash. Called by hosting-rules.ts.

/**
 * The folder of SvelteKit that is immutable. Source:
 * kit/packages/adapter-node/src/handler.js
 */
const IMMUTABLE_FOLDER = /(?:^|\/)_app\/immutable\//;
/**
 * Output folders of build tools: Vite, Rails, CRA, Django, Next.js, Nuxt, Astro,
 * Remix, Laravel.
 */
const BUILD_FOLDER = /(?:^|\/)(?:assets|static|build|dist|_next|_nuxt|_astro|_app)\//;
/** Output folders in which a name may be nothing but its hash. */
const HASHES_ONLY_FOLDER = /(?:^|\/)(?:_next\/static|_nuxt|_astro)\//;

/** Extensions of files that people don't name by hand: they count in any folder. */
const CODE = /^(?:[mc]?js|css|wasm|woff2?|ttf|otf|eot)$/;
/**
 * Extensions of files that people name by hand too: they count in output folders
 * only.
 */
const MEDIA = /^(?:png|jpe?g|gif|webp|avif|svg|ico|mp[34]|webm|ogg|wav|flac)$/;

/** Splits a name into stem and extension. `.chunk` is CRA's. */
const NAME = /^(.+?)(?:\.chunk)?\.([A-Za-z0-9]{2,5})(?:\.map)?$/s;

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
/**
 * A UUID without hyphens, random or of time, by its version and variant digits.
 * Source: RFC 9562
 */
const BARE_UUID = /^[0-9a-f]{12}[47][0-9a-f]{3}[89ab][0-9a-f]{15}$/;
/**
 * Hexadecimal hashes. webpack, Parcel, Next.js, Trunk: 8 to 20 digits; MD5 (CRA,
 * Gatsby, Phoenix), SHA-1 and SHA-256 (Sprockets, Hugo) whole. Not 24: those are
 * ObjectIds of MongoDB.
 */
const HEX = /^(?:[0-9a-f]{8,20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;
/**
 * Dates such as `20dec2024`, `2023feb1`: the names of these two months are
 * hexadecimal.
 */
const DATE = /^\d{0,4}(?:dec|feb)\d{1,6}$/;
/**
 * Changes between digits and letters that a hash has at least: `facade12` and
 * `20240131a` have 1. Of random texts of 8 digits 91 % pass.
 */
const HEX_CHANGES_MIN = 2;

/** Hashes of Vite and Rollup: eight characters of Base64 for URLs. */
const BASE64 = /^[\w-]{8}$/;
/** Hashes of esbuild and Angular: eight characters of Base32. */
const BASE32 = /^[A-Z2-7]{8}$/;
/** Three consonants in a row, which hardly any word has: `VXQ`. */
const UNSPEAKABLE = /[B-DF-HJ-NP-TV-XZ]{3}/;

/** Whether the last part of the key has a hash before its extension. */
export function hasHashedName(key: string): boolean {
  if (!key.endsWith('/') && IMMUTABLE_FOLDER.test(key)) return true;
  const [, stem = '', extension = ''] = NAME.exec(key.slice(key.lastIndexOf('/') + 1)) ?? [];
  if (!CODE.test(extension) && !(MEDIA.test(extension) && BUILD_FOLDER.test(key))) return false;
  if (UUID.test(stem)) return false;

  const mayBeAll = HASHES_ONLY_FOLDER.test(key);
  const hashAt = Math.max(stem.lastIndexOf('-'), stem.lastIndexOf('.')) + 1;
  if ((hashAt > 0 || mayBeAll) && isHexHash(stem.slice(hashAt))) return true;

  // Base64 for URLs has hyphens of its own, so it is recognised by its length.
  const text = stem.slice(-8);
  const before = stem.slice(0, -8);
  return (
    (/[.-]$/.test(before) || (before === '' && mayBeAll)) &&
    (isBase32Hash(text) || isBase64Hash(text))
  );
}

function isHexHash(text: string): boolean {
  return (
    HEX.test(text) &&
    !BARE_UUID.test(text) &&
    !DATE.test(text) &&
    changesIn(text) >= HEX_CHANGES_MIN
  );
}

/** Recognises 54 % of random texts of Base32, but no words like `WIN32API`. */
function isBase32Hash(text: string): boolean {
  return (
    BASE32.test(text) && changesIn(text) >= 2 && (lonelyIn(text) >= 2 || UNSPEAKABLE.test(text))
  );
}

/**
 * Recognises half of random texts of Base64: `DiwrgT4a`, but no words like
 * `YouTube2`, `IPv4Addr` and `iOS17App`.
 */
function isBase64Hash(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const changes = changesIn(text);
  return changes >= 6 - lonelyIn(text) && changes >= 4 && lonelyIn(text) >= 1;
}

/** Counts the changes between capitals, small letters, digits and the rest. */
function changesIn(text: string): number {
  return (text.match(/[A-Z]+|[a-z]+|\d+|[_-]+/g) ?? ['']).length - 1;
}

/** Counts words of one letter: `T` and `a` in `DiwrgT4a`. */
function lonelyIn(text: string): number {
  return (text.match(/[A-Z]+[a-z]*|[a-z]+/g) ?? []).filter((word) => word.length === 1).length;
}

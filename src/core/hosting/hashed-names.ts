// Whether the name of a file says that its content never changes: build tools put a hash of the
// content in it. Words, dates and ids can look like a hash, files with such names are overwritten
// in place, and a wrong answer sticks in browsers for a year, where no purge reaches it: in doubt
// it is none. Asked by hosting-rules.ts.

/**
 * SvelteKit's own promise for all that is in there. Source:
 * kit/packages/adapter-node/src/handler.js
 */
const IMMUTABLE_FOLDER = /(?:^|\/)_app\/immutable\//;
/**
 * Folders that build tools write into: Vite, Rails, CRA, Django, Next.js, Nuxt, Astro, Remix,
 * Laravel.
 */
const BUILD_FOLDER = /(?:^|\/)(?:assets|static|build|dist|_next|_nuxt|_astro|_app)\//;
/** Here a name may be nothing but its hash. */
const HASHES_ONLY_FOLDER = /(?:^|\/)(?:_next\/static|_nuxt|_astro)\//;

/** What people don't name by hand: these count in any folder. */
const CODE = /^(?:[mc]?js|css|wasm|woff2?|ttf|otf|eot)$/;
/**
 * What build tools hash, and people upload under names of their own too: these count in build
 * folders only.
 */
const MEDIA = /^(?:png|jpe?g|gif|webp|avif|svg|ico|mp[34]|webm|ogg|wav|flac)$/;

/** A name in parts: what stands before the extension, and that. `.chunk` is CRA's. */
const NAME = /^(.+?)(?:\.chunk)?\.([A-Za-z0-9]{2,5})(?:\.map)?$/s;

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
/**
 * A UUID of random or of time without its hyphens: version and variant stand at their places.
 * Source: RFC 9562
 */
const BARE_UUID = /^[0-9a-f]{12}[47][0-9a-f]{3}[89ab][0-9a-f]{15}$/;
/**
 * webpack, Parcel, Next.js, Trunk: 8 to 20 digits; MD5 (CRA, Gatsby, Phoenix), SHA-1 and SHA-256
 * (Sprockets, Hugo) whole. Not 24: those are ObjectIds of MongoDB.
 */
const HEX = /^(?:[0-9a-f]{8,20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;
/** `20dec2024`, `2023feb1`: of all names of months these two are hexadecimal. */
const DATE = /^\d{0,4}(?:dec|feb)\d{1,6}$/;
/**
 * Changes between digits and letters: `facade12` and `20240131a` have 1. Of 8 random digits 91 of
 * 100 pass.
 */
const HEX_CHANGES_MIN = 2;

/** Vite and Rollup: eight of Base64 for URLs. esbuild and Angular: eight of Base32. */
const BASE64 = /^[\w-]{8}$/;
const BASE32 = /^[A-Z2-7]{8}$/;
/** What no word has: `VXQ`. */
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
  // Base64 for URLs has hyphens of its own, so it is told by its length.
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

/** 54 of 100 random ones are told from words like `WIN32API`. */
function isBase32Hash(text: string): boolean {
  return (
    BASE32.test(text) && changesIn(text) >= 2 && (lonelyIn(text) >= 2 || UNSPEAKABLE.test(text))
  );
}

/**
 * Half of random ones are told from words: `DiwrgT4a` is one, `YouTube2`, `IPv4Addr` and `iOS17App`
 * are not.
 */
function isBase64Hash(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const changes = changesIn(text);
  return changes >= 6 - lonelyIn(text) && changes >= 4 && lonelyIn(text) >= 1;
}

/** Changes between capitals, small letters, digits and the rest. */
function changesIn(text: string): number {
  return (text.match(/[A-Z]+|[a-z]+|\d+|[_-]+/g) ?? ['']).length - 1;
}

/** Words of one letter: `T` and `a` in `DiwrgT4a`. */
function lonelyIn(text: string): number {
  return (text.match(/[A-Z]+[a-z]*|[a-z]+/g) ?? []).filter((word) => word.length === 1).length;
}

// Bytes that are made of an object's bytes: compressed ones, and images in other
// sizes. They are named by what they are made of and how, so an entry can't be
// stale. Any entry may be evicted, because it can be made again: the index knows
// nothing of them, and nothing has to be swept.

/**
 * Content codings that we make. Source: RFC 9110 section 8.4.1, RFC 7932 (br), RFC
 * 8878 (zstd)
 */
export type ContentCoding = 'br' | 'zstd' | 'gzip';

export type ImageFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif';

/**
 * How an image fills the sizes asked for. `scale-down`: within them, never larger
 * than it is; `contain`: within them; `cover`: fills them, and what sticks out is
 * cut off; `fill`: both sizes, whatever becomes of its shape.
 */
export type ImageFit = 'scale-down' | 'contain' | 'cover' | 'fill';

/**
 * Null sizes follow the other one, up to `maxSidePx`; with neither the image keeps
 * its own, up to the same. `quality` from 1 to 100, not for png and gif.
 */
export type ImageRecipe = {
  readonly kind: 'image';
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  readonly maxSidePx: number;
  readonly fit: ImageFit;
  readonly format: ImageFormat;
  readonly quality: number;
};

/** How derived bytes are made of their source. Equal recipes mean equal results. */
export type Recipe = { readonly kind: 'coding'; readonly coding: ContentCoding } | ImageRecipe;

/**
 * What was made. `tag` is a checksum of the bytes: a compressor of another version
 * may make other ones.
 */
export type Derived = {
  readonly bytes: Uint8Array;
  /** Null: that of the source. */
  readonly contentType: string | null;
  readonly tag: string;
};

/** For whom something is made: work that waits is scheduled fairly by these. */
export type DerivedRequester = {
  /** The account that owns the object. */
  readonly tenant: string;
  readonly bucket: string;
  /** Whose request it was: an access key, or the network of an address. */
  readonly source: string;
};

/** `none`: not worth making, or not to be had now. */
export type DerivedOrNone = Derived | 'none';

/**
 * Makes derived bytes and stores them in caches alone: memory, and a tier below it.
 */
export type DerivedBodies = {
  /** The tier below memory, for reports of where a response came from. */
  readonly tier: 'edge' | 'bucket';
  /** Whether the platform makes images at all. */
  readonly makesImages: boolean;
  /** What memory knows, at once; null when it knows nothing. */
  peek(name: string): DerivedOrNone | null;
  /**
   * Looks it up in the tier below; memory then caches it. Never rejects: a tier
   * that fails knows nothing.
   */
  find(name: string): Promise<DerivedOrNone | null>;
  /**
   * Makes it and caches it; where the platform allows it, calls at the same time
   * share the work (request coalescing). While a coding is being made, and for some
   * time after it could not be, `peek` says `none`. Rejects with SlowDown when too
   * much waits already, or too much of one requester. InvalidRequest: an image
   * can't be read or is too large. ServiceUnavailable: it takes too long; an image that
   * did is not begun again for some minutes.
   * NotImplemented: the platform makes no images. Else with what `load` rejects
   * with. `tier`: where it is cached at most; what was encrypted at rest must not
   * leave memory.
   */
  make(
    name: string,
    recipe: Recipe,
    requester: DerivedRequester,
    load: () => Promise<Uint8Array>,
    tier?: 'memory' | 'below',
  ): Promise<DerivedOrNone>;
};

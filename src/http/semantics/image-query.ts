// What an address asks of an image: `?w=&h=&fit=&format=&q=`. Pure. docs/images.md
// tells owners.
import { IMAGE_MAX_SIDE_PX } from '../../core/limits.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ImageSettings } from '../../domain/hosting.ts';
import type { ImageFit, ImageFormat, ImageRecipe } from '../../ports/derived.ts';
import { parseQuery } from './raw-path.ts';

/** A recipe, and whether another Accept would have made another one. */
export type RequestedImage = { readonly recipe: ImageRecipe; readonly isByAccept: boolean };

/** Cheap: most queries have nothing to do with us. */
const IMAGE_PARAMETER = /(?:^|&)(?:w|h|fit|format|q)=/;

/** Source: RFC 9110 section 12.4.2 */
const NO_QUALITY = /^q=0(?:\.0*)?$/;

/** Types that images are made of. Not SVG, which has any size. */
const SOURCE_FORMATS: ReadonlyMap<string, ImageFormat> = new Map([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['image/gif', 'gif'],
]);
const FITS: readonly ImageFit[] = ['scale-down', 'contain', 'cover', 'fill'];
const FORMATS: Readonly<Record<string, ImageFormat>> = {
  avif: 'avif',
  webp: 'webp',
  jpeg: 'jpeg',
  jpg: 'jpeg',
  png: 'png',
};
/** What looks alike at a good size. Formats without loss have no quality. */
const USUAL_QUALITY: Readonly<Record<ImageFormat, number>> = {
  avif: 50,
  webp: 75,
  jpeg: 80,
  png: 100,
  gif: 100,
};
const HAS_QUALITY: ReadonlySet<ImageFormat> = new Set(['avif', 'webp', 'jpeg']);
/**
 * Qualities nearer to each other than this look alike, and every one is made and
 * kept.
 */
const QUALITY_STEP = 5;

/**
 * The format of an object that images can be made of, by its media type; null for
 * every other.
 */
export function imageFormatOf(contentType: string): ImageFormat | null {
  const essence = contentType.split(';', 1)[0] ?? '';
  return SOURCE_FORMATS.get(essence.trim().toLowerCase()) ?? null;
}

/** Whether a query has something to say of an image. */
export function hasImageParameters(rawQuery: string): boolean {
  return IMAGE_PARAMETER.test(rawQuery);
}

/**
 * The image that the address requests, or null when none. InvalidArgument names the
 * parameter and what it may be. `isOwners`: the owner of the bucket has signed it,
 * so it may be of any size.
 */
export function parseImageQuery(
  rawQuery: string,
  accept: string | null,
  source: ImageFormat,
  given: ImageSettings,
  isOwners = false,
): RequestedImage | null {
  if (!hasImageParameters(rawQuery)) return null;
  const settings: ImageSettings = isOwners ? { ...given, sizes: 'any' } : given;
  const { get } = parseQuery(rawQuery);
  const [widthPx, heightPx] = [
    readSize('w', get('w'), settings),
    readSize('h', get('h'), settings),
  ];
  const namedFormat = readFormat(get('format'));
  const quality = readQuality(get('q'));
  const fit = readFit(get('fit'));
  if (widthPx === null && heightPx === null && namedFormat === null && quality === null)
    return null;
  const isByAccept = namedFormat === 'auto';
  const format = isByAccept ? chooseFormat(accept ?? '', source) : (namedFormat ?? source);
  // With one size given there is but one way to fit it.
  const hasBoth = widthPx !== null && heightPx !== null;
  const used = hasBoth || fit === 'scale-down' ? fit : 'contain';
  return {
    recipe: {
      kind: 'image',
      widthPx,
      heightPx,
      maxSidePx: settings.maxSize,
      fit: used,
      format,
      quality: HAS_QUALITY.has(format) ? (quality ?? USUAL_QUALITY[format]) : USUAL_QUALITY[format],
    },
    isByAccept,
  };
}

/**
 * A recipe as a name, of characters that can stand in an entity tag:
 * `w300-h200-cover-webp75`. The largest side is named where it may decide and is
 * not the usual one: `w300-max500-scale-down-webp75`.
 */
export function recipeName({
  widthPx,
  heightPx,
  maxSidePx,
  fit,
  format,
  quality,
}: ImageRecipe): string {
  const isOpen = widthPx === null || heightPx === null;
  const sizes = [
    widthPx === null ? [] : [`w${widthPx}`],
    heightPx === null ? [] : [`h${heightPx}`],
    isOpen && maxSidePx !== IMAGE_MAX_SIDE_PX ? [`max${maxSidePx}`] : [],
  ].flat();
  return [...sizes, fit, HAS_QUALITY.has(format) ? `${format}${quality}` : format].join('-');
}

/**
 * The best that the client shows. GIF and WebP may be animated, which AVIF here
 * can't be; a client that takes neither gets what every client shows.
 */
function chooseFormat(accept: string, source: ImageFormat): ImageFormat {
  const types = acceptedTypes(accept);
  const takes = (format: ImageFormat) => types.has(`image/${format}`);
  const mayMove = source === 'gif' || source === 'webp';
  if (!mayMove && takes('avif')) return 'avif';
  if (takes('webp')) return 'webp';
  return source === 'webp' || source === 'avif' ? 'jpeg' : source;
}

/** Whether the client names the format among those that it takes. */
export function takesImage(accept: string, format: ImageFormat): boolean {
  return acceptedTypes(accept).has(`image/${format}`);
}

/** Types that the client names, but for those that it gives a quality of 0. */
function acceptedTypes(accept: string): ReadonlySet<string> {
  const types = new Set<string>();
  for (const member of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = member.split(';');
    if (!parameters.some((parameter) => NO_QUALITY.test(parameter.trim()))) types.add(type.trim());
  }
  return types;
}

function readSize(
  name: string,
  text: string | null,
  { sizes, maxSize }: ImageSettings,
): number | null {
  if (text === null || text === '') return null;
  const size = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (sizes !== 'any' && !sizes.includes(size)) throw refused(name, text, listedOrSigned(sizes));
  if (size < 1 || size > maxSize)
    throw refused(name, text, `a number of pixels from 1 to ${maxSize}`);
  return size;
}

function listedOrSigned(sizes: readonly number[]): string {
  const signed = 'in a URL that the owner of the bucket has signed';
  return sizes.length === 0 ? signed : `one of ${sizes.join(', ')}, or ${signed}`;
}

function readFormat(text: string | null): ImageFormat | 'auto' | null {
  if (text === null || text === '') return null;
  if (text === 'auto') return 'auto';
  const format = Object.hasOwn(FORMATS, text) ? FORMATS[text] : undefined;
  return format ?? fail(refused('format', text, `auto, ${Object.keys(FORMATS).join(', ')}`));
}

function readFit(text: string | null): ImageFit {
  if (text === null || text === '') return 'scale-down';
  return FITS.find((fit) => fit === text) ?? fail(refused('fit', text, FITS.join(', ')));
}

function readQuality(text: string | null): number | null {
  if (text === null || text === '') return null;
  const quality = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (quality < 1 || quality > 100) throw refused('q', text, 'a number from 1 to 100');
  return Math.max(QUALITY_STEP, Math.round(quality / QUALITY_STEP) * QUALITY_STEP);
}

function refused(name: string, value: string, what: string): StorageError {
  return new StorageError('InvalidArgument', {
    detail: `The parameter ${name} of an image must be ${what}.`,
    fields: { ArgumentName: name, ArgumentValue: value },
  });
}

function fail(error: StorageError): never {
  throw error;
}

import { describe, expect, it } from 'vitest';
import type { ImageSettings } from '../../../src/domain/hosting.ts';
import {
  imageFormatOf,
  parseImageQuery,
  recipeName,
} from '../../../src/http/semantics/image-query.ts';
import type { ImageFormat } from '../../../src/ports/derived.ts';

const ANY: ImageSettings = { sizes: 'any', maxSize: 4096 };
const CLOSED: ImageSettings = { sizes: [], maxSize: 4096 };
const FEW: ImageSettings = { sizes: [320, 640], maxSize: 2000 };

function parse(
  query: string,
  options: { accept?: string; source?: ImageFormat; settings?: ImageSettings } = {},
) {
  const { accept = null, source = 'jpeg', settings = ANY } = options;
  const requested = parseImageQuery(query, accept, source, settings);
  return requested === null ? null : recipeName(requested.recipe);
}

describe('what an address asks of an image', () => {
  it.each([
    ['', null],
    ['v=1&width=3', null],
    ['fit=cover', null],
    ['w=', null],
    ['w=300', 'w300-scale-down-jpeg80'],
    ['h=1', 'h1-scale-down-jpeg80'],
    ['w=300&h=200&fit=cover', 'w300-h200-cover-jpeg80'],
    ['w=300&fit=cover', 'w300-contain-jpeg80'],
    ['w=2000&h=2000&fit=fill&format=png&q=3', 'w2000-h2000-fill-png'],
    ['format=webp', 'scale-down-webp75'],
    ['format=jpg&q=100', 'scale-down-jpeg100'],
    ['q=1', 'scale-down-jpeg5'],
    ['q=62', 'scale-down-jpeg60'],
    ['q=63', 'scale-down-jpeg65'],
    ['x=y&w=10&w=20', 'w10-scale-down-jpeg80'],
  ])('%s: %s', (query, name) => expect(parse(query)).toBe(name));

  it.each([
    ['w=0', 'from 1 to 4096'],
    ['w=4097', 'from 1 to 4096'],
    ['h=-1', 'from 1 to 4096'],
    ['w=1e3', 'from 1 to 4096'],
    ['w=3.5', 'from 1 to 4096'],
    ['fit=stretch&w=1', 'scale-down, contain, cover, fill'],
    ['format=bmp', 'auto, avif, webp, jpeg, jpg, png'],
    ['format=constructor', 'auto, avif'],
    ['q=0', 'from 1 to 100'],
    ['q=101', 'from 1 to 100'],
    ['q=high', 'from 1 to 100'],
  ])('%s is refused', (query, what) => {
    expect(() => parse(query)).toThrow(what);
  });

  it('is named with the longest side where that may decide', () => {
    const settings: ImageSettings = { sizes: 'any', maxSize: 500 };
    expect(parse('w=320&h=400', { settings })).toBe('w320-h400-scale-down-jpeg80');
    expect(parse('w=320', { settings })).toBe('w320-max500-scale-down-jpeg80');
    expect(parse('format=webp', { settings })).toBe('max500-scale-down-webp75');
  });

  it('may be of some sizes only', () => {
    expect(parse('w=320&h=640', { settings: FEW })).toBe('w320-h640-scale-down-jpeg80');
    expect(() => parse('w=321', { settings: FEW })).toThrow('one of 320, 640');
    expect(() => parse('w=640', { settings: { sizes: [640], maxSize: 320 } })).toThrow(
      'from 1 to 320',
    );
  });

  it('is of no size that is not listed, unless the owner has signed it', () => {
    expect(() => parse('w=320', { settings: CLOSED })).toThrow(
      'in a URL that the owner of the bucket has signed',
    );
    expect(() => parse('h=1', { settings: CLOSED })).toThrow('signed');
    expect(parse('format=webp', { settings: CLOSED })).toBe('scale-down-webp75');
    for (const settings of [CLOSED, FEW]) {
      expect(parseImageQuery('w=333', null, 'jpeg', settings, true)?.recipe.widthPx).toBe(333);
    }
    expect(() => parseImageQuery('w=2001', null, 'jpeg', FEW, true)).toThrow('from 1 to 2000');
  });

  it.each<[ImageFormat, string | undefined, string]>([
    ['jpeg', 'image/avif,image/webp,*/*', 'avif50'],
    ['jpeg', 'image/webp,*/*;q=0.8', 'webp75'],
    ['jpeg', 'image/avif;q=0, image/webp', 'webp75'],
    ['jpeg', 'image/avif;q=0.5', 'avif50'],
    ['jpeg', '*/*', 'jpeg80'],
    ['jpeg', undefined, 'jpeg80'],
    ['png', 'text/html', 'png'],
    ['gif', 'image/avif,image/webp', 'webp75'],
    ['gif', 'image/png', 'gif'],
    ['webp', 'image/avif,image/webp', 'webp75'],
    ['webp', '*/*', 'jpeg80'],
    ['avif', 'image/avif', 'avif50'],
    ['avif', undefined, 'jpeg80'],
  ])('auto makes of %s for %s: %s', (source, accept, name) => {
    expect(parse('format=auto', { source, ...(accept === undefined ? {} : { accept }) })).toBe(
      `scale-down-${name}`,
    );
  });

  it('keeps the format when none is asked for', () => {
    for (const source of ['png', 'gif'] as const)
      expect(parse('w=5', { source })).toBe(`w5-scale-down-${source}`);
    expect(parse('w=5', { source: 'webp', accept: '*/*' })).toBe('w5-scale-down-webp75');
  });

  it('is asked of five types', () => {
    expect(imageFormatOf('image/JPEG; x=y')).toBe('jpeg');
    for (const type of ['image/svg+xml', 'text/html', 'image/', '', 'image/tiff'])
      expect(imageFormatOf(type)).toBe(null);
  });
});

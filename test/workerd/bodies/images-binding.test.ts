// Images through a binding that notes what it is asked: Cloudflare's own is only there when
// deployed.
import { describe, expect, it } from 'vitest';
import { createImagesBinding } from '../../../src/adapters/cloudflare/bodies/images-binding.ts';
import type { ImageRecipe } from '../../../src/ports/derived.ts';

const RECIPE: ImageRecipe = {
  kind: 'image',
  widthPx: 30,
  heightPx: null,
  maxSidePx: 500,
  fit: 'fill',
  format: 'webp',
  quality: 70,
};
const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const SOURCE = bytesOf('\x89PNG\r\n\x1a\nand more');

function bindingThat(fail: Error | null) {
  const asked: unknown[] = [];
  const transformer = {
    transform(options: ImageTransform) {
      asked.push(options);
      return transformer as unknown as ImageTransformer;
    },
    async output(options: ImageOutputOptions) {
      asked.push(options);
      if (fail !== null) throw fail;
      return {
        image: () => new Response('made').body,
        contentType: () => 'image/webp',
      } as unknown as ImageTransformationResult;
    },
  };
  const input = (stream: ReadableStream<Uint8Array>) => {
    asked.push(stream);
    return transformer as unknown as ImageTransformer;
  };
  return { asked, binding: { input } as unknown as Pick<ImagesBinding, 'input'> };
}

describe('images on Cloudflare', () => {
  it('are made by the binding', async () => {
    const { asked, binding } = bindingThat(null);
    const made = await createImagesBinding(binding)(SOURCE, RECIPE);
    expect([new TextDecoder().decode(made.bytes), made.contentType]).toEqual([
      'made',
      'image/webp',
    ]);
    const [stream, transform, output] = asked;
    expect(new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer())).toEqual(
      SOURCE,
    );
    expect([transform, output]).toEqual([
      { width: 30, height: 500, fit: 'contain' },
      { format: 'image/webp', quality: 70 },
    ]);
  });

  it.each([
    ['\xff\xd8\xff\xe0..JFIF', true],
    ['GIF89a..', true],
    ['RIFF\x00\x00\x00\x00WEBPVP8 ', true],
    ['\x00\x00\x00\x20ftypavif....', true],
    ['<!doctype html>', false],
    ['RIFF\x00\x00\x00\x00WAVEfmt ', false],
    ['\x00\x00\x00\x20ftypisom....', false],
    ['', false],
  ])('are asked for only of what begins as one: %j', async (source, isAsked) => {
    const { asked, binding } = bindingThat(null);
    const made = createImagesBinding(binding)(bytesOf(source), RECIPE);
    await (isAsked ? made : expect(made).rejects.toMatchObject({ code: 'InvalidRequest' }));
    expect(asked.length).toBe(isAsked ? 3 : 0);
  });

  it('that move are as large as all their frames together may be', async () => {
    const { asked, binding } = bindingThat(null);
    const frame = `${','.padEnd(10, '\0')}\x02\x01x\0`;
    const gif = `GIF89a${'\0'.repeat(7)}${frame.repeat(2048)};`;
    await createImagesBinding(binding)(bytesOf(gif), { ...RECIPE, widthPx: 400, format: 'gif' });
    expect(asked[1]).toEqual({ width: 64, height: 64, fit: 'contain' });
    await createImagesBinding(binding)(bytesOf(gif), { ...RECIPE, widthPx: 400, format: 'jpeg' });
    expect(asked[4]).toEqual({ width: 400, height: 500, fit: 'contain' });
  });

  it('are none without it', async () => {
    await expect(createImagesBinding(null)(SOURCE, RECIPE)).rejects.toMatchObject({
      code: 'NotImplemented',
    });
  });

  it.each([
    [9412, 'InvalidRequest'],
    [9523, 'ServiceUnavailable'],
    [Number.NaN, 'ServiceUnavailable'],
  ])('fail with %i as %s', async (code, expected) => {
    const { binding } = bindingThat(Object.assign(new Error('no'), { code }));
    await expect(createImagesBinding(binding)(SOURCE, RECIPE)).rejects.toMatchObject({
      code: expected,
    });
  });
});

// Images through a binding that notes what it is asked: Cloudflare's own is only there when deployed.
import { describe, expect, it } from 'vitest';
import { createImagesBinding } from '../../src/adapters/cloudflare/images-binding.ts';
import type { ImageRecipe } from '../../src/ports/derived.ts';

const RECIPE: ImageRecipe = {
  kind: 'image',
  widthPx: 30,
  heightPx: null,
  fit: 'fill',
  format: 'webp',
  quality: 70,
};
const SOURCE = new Uint8Array([1, 2, 3]);

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
    expect([new TextDecoder().decode(made.bytes), made.contentType]).toEqual(['made', 'image/webp']);
    const [stream, transform, output] = asked;
    expect(new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer())).toEqual(SOURCE);
    expect([transform, output]).toEqual([
      { width: 30, fit: 'squeeze' },
      { format: 'image/webp', quality: 70 },
    ]);
  });

  it('are none without it', async () => {
    await expect(createImagesBinding(null)(SOURCE, RECIPE)).rejects.toMatchObject({ code: 'NotImplemented' });
  });

  it.each([
    [9412, 'InvalidRequest'],
    [9523, 'ServiceUnavailable'],
    [Number.NaN, 'ServiceUnavailable'],
  ])('fail with %i as %s', async (code, expected) => {
    const { binding } = bindingThat(Object.assign(new Error('no'), { code }));
    await expect(createImagesBinding(binding)(SOURCE, RECIPE)).rejects.toMatchObject({ code: expected });
  });
});

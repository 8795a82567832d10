// How large an image may become, the same in both platforms. A side that the
// address does not name follows the other one, so that a stripe would become as
// long as it likes; and frames cost as much as pictures.
import type { ImageFit, ImageFormat, ImageRecipe } from '../../ports/derived.ts';

/**
 * Most pixels of all frames together of an image that moves; one that stands still
 * has at most a square of its longest side. A GIF takes 0.8 s of CPU for a million,
 * a WebP 0.2 (noise, measured 2026-11): 8 million are 7 s, and a clip of 320 by 180
 * with 145 frames.
 */
export const MOVING_IMAGE_MAX_PIXELS = 8 * 1024 * 1024;

/** Both sides, pixels, and how the image fills them. */
export type ImageBox = {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly fit: ImageFit;
};

/** Formats in which frames stay frames. */
export const MOVING_FORMATS: ReadonlySet<ImageFormat> = new Set(['webp', 'gif']);

/**
 * `frames`: those of the original; formats that stand still take the first. What is
 * too much is made smaller in its shape.
 */
export function boxOf(recipe: ImageRecipe, frames: number): ImageBox {
  const { widthPx, heightPx, maxSidePx, fit, format } = recipe;
  const frameCount = MOVING_FORMATS.has(format) ? Math.max(1, frames) : 1;
  const budgetPx = frameCount > 1 ? MOVING_IMAGE_MAX_PIXELS / frameCount : maxSidePx ** 2;
  if (widthPx !== null && heightPx !== null) {
    const scale = Math.min(1, Math.sqrt(budgetPx / (widthPx * heightPx)));
    return { widthPx: scaled(widthPx, scale), heightPx: scaled(heightPx, scale), fit };
  }
  // Whatever its shape, within such a square it has no more pixels.
  const sidePx = scaled(Math.min(maxSidePx, Math.sqrt(budgetPx)), 1);
  const hasNone = widthPx === null && heightPx === null;
  return {
    widthPx: Math.min(widthPx ?? sidePx, sidePx),
    heightPx: Math.min(heightPx ?? sidePx, sidePx),
    fit: hasNone || fit === 'scale-down' ? 'scale-down' : 'contain',
  };
}

function scaled(px: number, scale: number): number {
  return Math.max(1, Math.floor(px * scale));
}

// Images in other sizes and formats, as a feature of reads: in buckets whose owner
// allows it, for addresses with a query. images.ts of delivery finds and makes
// them.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { createImages } from '../images.ts';
import { createMakingOf } from '../requester.ts';
import type { ReadFeature } from './read-feature.ts';

export function imagesFeature(core: Core, caps: CapGuard | null): ReadFeature {
  const images = createImages(core);
  const makingOf = createMakingOf(core, caps);

  return {
    isIn: ({ settings }) => settings.hosting?.images != null,
    choose(read) {
      const { request } = read.readRequest;
      const settings = read.readPolicy.settings.hosting?.images ?? null;
      if (request.rawQuery === '' || settings === null) return null;
      return images.choose(read.pointer, request, settings, makingOf(read));
    },
  };
}

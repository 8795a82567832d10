// Compressed variants, as a feature of reads: objects of types that gain by it go
// out in a coding that the reader accepts. variants.ts of delivery chooses, for the
// full path and the fast path.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { createMakingOf } from '../requester.ts';
import { createVariants } from '../variants.ts';
import type { ReadFeature } from './read-feature.ts';

export function compressedVariantsFeature(
  core: Core,
  options: { readonly compressionMaxBytes: number; readonly caps: CapGuard | null },
): ReadFeature {
  const variants = createVariants(core);
  const makingOf = createMakingOf(core, options.caps);

  return {
    // Settings that were stored before there was this one say nothing of it.
    isIn: ({ settings }) =>
      options.compressionMaxBytes > 0 && settings.hosting?.compression !== false,
    choose: (read) =>
      read.prepared.isNegotiated(read.pointer)
        ? variants.choose(read.pointer, read.readRequest.request, makingOf(read))
        : null,
    atOnce: { variants },
  };
}

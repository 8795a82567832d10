// Fonts: a text set in them, in several sizes.
import { Type } from 'lucide';
import { useEffect, useId, useState } from 'preact/hooks';
import { t } from '../../../i18n/i18n.ts';
import { Empty } from '../../../ui/small.tsx';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';

/** Fonts above this are not loaded, bytes: Chinese ones have about 20 MB. */
const FONT_MAX_BYTES = 40_000_000;
const SIZES_PX = [64, 40, 28, 20, 16, 12] as const;

export default function FontView({ shown, compact }: ViewProps) {
  const texts = t().viewers.media;
  const family = `sample${useId().replaceAll(/\W/g, '')}`;
  const [sample, setSample] = useState(texts.sample);
  const { source } = shown;
  const isHuge = source.sizeBytes > FONT_MAX_BYTES;
  const font = useLoaded(
    async (signal) => {
      if (isHuge) return null;
      const bytes = await source.read(0, source.sizeBytes, signal);
      return new FontFace(family, bytes as Uint8Array<ArrayBuffer>).load();
    },
    [shown.name],
  );
  useEffect(() => {
    const face = font.value;
    if (face === null) return;
    document.fonts.add(face);
    return () => void document.fonts.delete(face);
  }, [font.value]);

  if (isHuge || font.error !== null) {
    return (
      <ViewerFrame compact={compact}>
        <Empty icon={Type} title={isHuge ? texts.fontHuge : texts.fontFailed}>
          {isHuge ? null : texts.fontFailedHint}
        </Empty>
      </ViewerFrame>
    );
  }
  return (
    <ViewerFrame
      compact={compact}
      tools={
        <input
          class="input viewer-filter"
          value={sample}
          aria-label={texts.sampleLabel}
          onInput={(event) => setSample(event.currentTarget.value)}
        />
      }
    >
      <div class="viewer-scroll font-sample">
        {font.value !== null &&
          SIZES_PX.map((size) => (
            <p key={size} style={{ fontFamily: family, fontSize: `${size}px` }}>
              {sample}
            </p>
          ))}
      </div>
    </ViewerFrame>
  );
}

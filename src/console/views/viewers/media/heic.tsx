// HEIC pictures: Safari shows them; elsewhere what to do about them is said.
import { ImageOff } from 'lucide';
import { useState } from 'preact/hooks';
import { t } from '../../../i18n/i18n.ts';
import { Empty } from '../../../ui/small.tsx';
import { contentHref } from '../bytes.ts';
import { ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';

export default function HeicView({ shown, compact }: ViewProps) {
  const texts = t().viewers.image;
  const { object } = shown;
  const [isBroken, setBroken] = useState(object === null);
  return (
    <ViewerFrame compact={compact}>
      {isBroken || object === null ? (
        <Empty
          icon={ImageOff}
          title={texts.heic}
          action={
            object !== null && (
              <a class="button secondary" href={contentHref(object, { isDownload: true })} download>
                {t().browse.download}
              </a>
            )
          }
        >
          {texts.heicHint}
        </Empty>
      ) : (
        <div class="stage">
          <img src={contentHref(object)} alt={shown.name} onError={() => setBroken(true)} />
        </div>
      )}
    </ViewerFrame>
  );
}

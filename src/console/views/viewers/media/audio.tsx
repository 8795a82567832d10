// Sound: played by the small player at the foot, which goes on with the folder while
// one browses; in the inspector and in archives by an element of its own.
import { Music, Pause, Play } from 'lucide';
import { useState } from 'preact/hooks';
import { errorLine } from '../../../api/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { InlineError } from '../../../ui/small.tsx';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { playFolder } from './play.ts';
import { isPlaying, playerCommand, queue } from './queue.ts';

export default function AudioView({ shown, compact }: ViewProps) {
  const { object } = shown;
  return (
    <ViewerFrame compact={compact}>
      <div class="stage is-column">
        <span class="audio-mark">
          <Icon of={Music} />
        </span>
        {object === null ? (
          <MemoryPlayer shown={shown} />
        ) : (
          <PlayButton bucket={object.bucket} objectKey={object.key} />
        )}
      </div>
    </ViewerFrame>
  );
}

type PlayProps = { readonly bucket: string; readonly objectKey: string };

function PlayButton({ bucket, objectKey: key }: PlayProps) {
  const texts = t().viewers.media;
  const [error, setError] = useState<unknown>(null);
  const now = queue.value;
  const isThis = now !== null && now.bucket === bucket && now.keys[now.at] === key;
  const isOn = isThis && isPlaying.value;
  const press = () => {
    setError(null);
    if (isThis) playerCommand.value = { do: isOn ? 'pause' : 'play' };
    else playFolder(bucket, key).catch(setError);
  };
  return (
    <>
      <Button
        kind="primary"
        big
        icon={isOn ? Pause : Play}
        label={isOn ? texts.pause : texts.play}
        onClick={press}
      />
      <p class="dim">{texts.playsOn}</p>
      {error !== null && <InlineError text={errorLine(error)} />}
    </>
  );
}

function MemoryPlayer({ shown }: Pick<ViewProps, 'shown'>) {
  const url = useLoaded(
    async (signal) => {
      const bytes = await shown.source.read(0, shown.source.sizeBytes, signal);
      const made = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]));
      signal.addEventListener('abort', () => URL.revokeObjectURL(made));
      return made;
    },
    [shown.name],
  );
  if (url.error !== null) return <Failure error={url.error} onRetry={url.reload} />;
  // biome-ignore lint/a11y/useMediaCaption: sound in an archive has none
  return <audio src={url.value ?? undefined} controls aria-label={shown.name} />;
}

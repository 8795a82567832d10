// The small player at the foot of every view: what plays, forward, back, close. The
// app frame draws it as long as something is queued.
import { SkipBack, SkipForward, X } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { href, objectPath } from '../../../app/router.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Name } from '../../../ui/small.tsx';
import { nameOf } from '../../browse/selection.ts';
import { bytesUrl } from '../bytes.ts';
import { useLoaded } from '../frame.tsx';
import { playNext } from './play.ts';
import { isPlaying, playerCommand, type Queue, queue, stopPlaying } from './queue.ts';

/** Drawn once, by the app frame; null while nothing is queued. */
export function PlayerHost() {
  const now = queue.value;
  return now === null ? null : <Player now={now} />;
}

export default PlayerHost;

function Player({ now }: { readonly now: Queue }) {
  const texts = t().viewers.media;
  const { bucket, keys, at } = now;
  const key = keys[at] ?? '';
  const audio = useRef<HTMLAudioElement>(null);
  const url = useLoaded(() => bytesUrl({ bucket, key }), [bucket, key]);
  const command = playerCommand.value;
  useEffect(() => {
    if (command?.do === 'play') void audio.current?.play().catch(() => {});
    if (command?.do === 'pause') audio.current?.pause();
  }, [command]);
  return (
    <section class="player" aria-label={texts.player}>
      <a class="player-name" href={href(objectPath(bucket, key))}>
        <Name text={nameOf(key)} />
      </a>
      <span class="dim wide">{texts.trackOf(at + 1, keys.length)}</span>
      <Button
        icon={SkipBack}
        iconOnly
        label={texts.previousTrack}
        onClick={() => void playNext(-1)}
      />
      {url.error !== null ? (
        <Failure error={url.error} onRetry={url.reload} />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: sound files of members have none
        <audio
          ref={audio}
          src={url.value ?? undefined}
          controls
          autoPlay
          aria-label={nameOf(key)}
          onKeyDown={(event) => {
            if (event.key.startsWith('Arrow')) event.stopPropagation();
          }}
          onCanPlay={({ currentTarget }) => void currentTarget.play().catch(() => {})}
          onPlay={() => {
            isPlaying.value = true;
          }}
          onPause={() => {
            isPlaying.value = false;
          }}
          onEnded={() => {
            if (!playNext(1)) isPlaying.value = false;
          }}
        />
      )}
      <Button
        icon={SkipForward}
        iconOnly
        label={texts.nextTrack}
        onClick={() => void playNext(1)}
      />
      <Button icon={X} iconOnly label={texts.closePlayer} onClick={stopPlaying} />
    </section>
  );
}

// Films: the browser's own player on a URL that takes ranges, so that seeking reads
// what is seen and no more. Speed, subtitles beside it, a link to a second.
import { Gauge, Link, PictureInPicture2, VideoOff } from 'lucide';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { hash } from '../../../app/router.ts';
import { exactCount } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.ts';
import { Failure } from '../../../ui/failure.tsx';
import { openMenu } from '../../../ui/open-menu.tsx';
import { Empty } from '../../../ui/small.tsx';
import { bytesUrl } from '../bytes.ts';
import { Measured, useLoaded, ViewerFrame } from '../frame.tsx';
import type { Shown, ViewProps } from '../shown.ts';
import { playLength } from './play-length.ts';
import { findSubtitles, type Subtitles } from './subtitles.ts';

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3] as const;

/** The second that the address names; null: none. */
const secondOf = (text: string): number | null => {
  const seconds = /^#t=(\d{1,6})$/.exec(text)?.[1];
  return seconds === undefined ? null : Number(seconds);
};

export default function VideoView({ shown, compact }: ViewProps) {
  const texts = t().viewers.media;
  const video = useRef<HTMLVideoElement>(null);
  const [speed, setSpeed] = useState(1);
  const [isBroken, setBroken] = useState(false);
  const { object } = shown;
  const url = useLoaded(
    () => (object === null ? Promise.resolve(null) : bytesUrl(object)),
    [shown.name],
  );
  useEffect(() => {
    if (video.current !== null) video.current.playbackRate = speed;
  }, [speed]);

  const copyMoment = () => {
    const { origin, pathname, search } = location;
    const second = Math.floor(video.current?.currentTime ?? 0);
    void copyText(`${origin}${pathname}${search}#t=${second}`, texts.momentCopied);
  };
  const speedMenu = () =>
    SPEEDS.map((one) => ({ label: `${one}×`, isChecked: one === speed, run: () => setSpeed(one) }));
  const tools = (
    <>
      <Button
        icon={Gauge}
        label={`${speed}×`}
        onClick={(event) => openMenu(event, texts.speed, speedMenu())}
      />
      {document.pictureInPictureEnabled && (
        <Button
          icon={PictureInPicture2}
          iconOnly
          label={texts.pictureInPicture}
          onClick={() => void video.current?.requestPictureInPicture().catch(() => {})}
        />
      )}
      <Button icon={Link} iconOnly label={texts.copyMoment} onClick={copyMoment} />
    </>
  );
  if (url.error !== null) {
    return (
      <ViewerFrame compact={compact}>
        <Failure error={url.error} onRetry={url.reload} />
      </ViewerFrame>
    );
  }
  if (isBroken || object === null) {
    return (
      <ViewerFrame compact={compact}>
        <Empty icon={VideoOff} title={texts.broken}>
          {texts.brokenHint}
        </Empty>
      </ViewerFrame>
    );
  }
  return (
    <ViewerFrame compact={compact} tools={tools}>
      {url.value !== null && (
        <Film
          shown={shown}
          url={url.value}
          videoRef={video}
          hasSubtitles={!compact}
          onBroken={() => setBroken(true)}
        />
      )}
    </ViewerFrame>
  );
}

type FilmProps = {
  readonly shown: Shown;
  readonly url: string;
  readonly videoRef: { current: HTMLVideoElement | null };
  readonly hasSubtitles: boolean;
  readonly onBroken: () => void;
};

function Film({ shown, url, videoRef, hasSubtitles, onBroken }: FilmProps) {
  const texts = t().viewers.media;
  const measured = useContext(Measured);
  const { object } = shown;
  const found = useLoaded(
    async (signal): Promise<readonly Subtitles[]> => {
      if (object === null || !hasSubtitles) return [];
      const subtitles = await findSubtitles(object.bucket, object.key, signal);
      const forget = () => {
        for (const one of subtitles) URL.revokeObjectURL(one.url);
      };
      signal.addEventListener('abort', forget);
      return subtitles;
    },
    [shown.name],
  );
  return (
    <div class="stage">
      {/* biome-ignore lint/a11y/useMediaCaption: captions are those that lie beside the film */}
      <video
        ref={videoRef}
        src={url}
        controls
        playsInline
        preload="metadata"
        aria-label={shown.name}
        // Arrows seek while the player has the focus; elsewhere they walk the folder.
        onKeyDown={(event) => {
          if (event.key.startsWith('Arrow')) event.stopPropagation();
        }}
        onLoadedMetadata={({ currentTarget: film }) => {
          const second = secondOf(hash.value);
          if (second !== null) film.currentTime = second;
          const size = `${exactCount(film.videoWidth)} × ${exactCount(film.videoHeight)}`;
          measured({ measure: `${size}, ${playLength(film.duration)}` });
        }}
        onError={onBroken}
      >
        {found.value?.map(({ label, url: track }) => (
          <track
            key={track}
            kind="subtitles"
            label={texts.subtitles(label)}
            srclang={/^[a-z]{2,3}$/.test(label) ? label : 'und'}
            src={track}
          />
        ))}
      </video>
    </div>
  );
}

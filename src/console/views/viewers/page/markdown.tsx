// Markdown as it reads: relative links lead to objects of the console, relative
// pictures are those of the bucket; pictures from elsewhere are links, so that
// no other server learns who reads.
import { CodeXml } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { href, objectPath } from '../../../app/router.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { bytesUrl, type ObjectAddress } from '../bytes.ts';
import { ScrollRegion, useLoaded, ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { createDecoder } from '../text/decode.ts';
import TextView from '../text/text.tsx';
import { parseMarkdown } from './parse-markdown.ts';
import { renderMarkdown, targetOf } from './render-markdown.ts';

/** Markdown that is rendered, bytes: longer ones are shown as text. */
const RENDERED_MAX_BYTES = 512 * 1024;
const COMPACT_BYTES = 32 * 1024;
/** Pictures that one text loads; of those behind them their words are shown. */
const PICTURES_MAX = 100;

export default function MarkdownView({ shown, compact }: ViewProps) {
  const isLong = shown.source.sizeBytes > RENDERED_MAX_BYTES;
  const [isSource, setSource] = useState(isLong);
  if (isSource) {
    const onRendered = isLong ? undefined : () => setSource(false);
    return <TextView shown={shown} compact={compact} onRendered={onRendered} />;
  }
  const tools = (
    <Button icon={CodeXml} label={t().viewers.page.source} onClick={() => setSource(true)} />
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      <Rendered shown={shown} compact={compact} onTooMuch={() => setSource(true)} />
    </ViewerFrame>
  );
}

type RenderedProps = ViewProps & {
  /** Called for a text that can't be rendered in good time. */
  readonly onTooMuch: () => void;
};

function Rendered({ shown, compact, onTooMuch }: RenderedProps) {
  const { object, source } = shown;
  const place = useRef<HTMLDivElement>(null);
  const etag = object?.detail.etag;
  const html = useLoaded(
    async (signal) => {
      const page = await source.read(0, compact ? COMPACT_BYTES : RENDERED_MAX_BYTES, signal);
      const parsed = await parseMarkdown(createDecoder().decode(page, true), signal);
      if (parsed === null && !signal.aborted) onTooMuch();
      return parsed;
    },
    [shown.name, etag],
  );
  useEffect(() => {
    if (html.value === null) return;
    const fragment = renderMarkdown(html.value);
    const controller = new AbortController();
    followLinks(fragment, object, place);
    void showPictures(fragment, object, controller.signal);
    place.current?.replaceChildren(fragment);
    return () => controller.abort();
  }, [html.value]);
  if (html.error !== null) return <Failure error={html.error} onRetry={html.reload} />;
  return (
    <ScrollRegion class="viewer-scroll" label={t().viewers.text.content(shown.name)}>
      <div ref={place} class="markdown" />
    </ScrollRegion>
  );
}

type Stored = ObjectAddress | null;

/** Gives each link its address: of an object in the console, or outside. */
function followLinks(
  fragment: DocumentFragment,
  object: Stored,
  place: { readonly current: HTMLElement | null },
): void {
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>('a[data-href]')) {
    const target = targetOf(link.dataset.href ?? '', object?.key ?? '');
    if (target?.kind === 'outside') {
      link.href = target.url;
      link.target = '_blank';
      link.rel = 'noreferrer';
    } else if (target?.kind === 'object' && object !== null) {
      link.href = href(objectPath(object.bucket, target.key));
    } else if (target?.kind === 'anchor') {
      link.href = `#${encodeURIComponent(target.anchor)}`;
      link.addEventListener('click', (event) => {
        event.preventDefault();
        const anchor = CSS.escape(target.anchor);
        place.current?.querySelector(`[data-anchor="${anchor}"]`)?.scrollIntoView();
      });
    }
  }
}

/** Loads pictures that lie in the bucket; others become links. */
async function showPictures(
  fragment: DocumentFragment,
  object: Stored,
  signal: AbortSignal,
): Promise<void> {
  const pictures = [...fragment.querySelectorAll<HTMLImageElement>('img[data-src]')];
  await Promise.all(
    pictures.map(async (picture, index) => {
      const target = targetOf(picture.dataset.src ?? '', object?.key ?? '');
      if (target?.kind === 'object' && object !== null) {
        // Each is a request, and bytes that somebody pays for.
        if (index >= PICTURES_MAX) return;
        picture.loading = 'lazy';
        const url = await bytesUrl({ bucket: object.bucket, key: target.key }).catch(() => null);
        if (url !== null && !signal.aborted) picture.src = url;
      } else if (target?.kind === 'outside') {
        picture.replaceWith(linkTo(target.url, picture.alt, picture.closest('a') !== null));
      }
    }),
  );
}

/** The words of a picture from elsewhere, as a link where they are in none. */
function linkTo(url: string, words: string, isInLink: boolean): Node {
  const text = words === '' ? url : words;
  if (isInLink) return document.createTextNode(text);
  const link = document.createElement('a');
  link.href = url;
  link.target = '_blank';
  link.rel = 'noreferrer';
  link.textContent = text;
  return link;
}

// HTML and SVG as a reader sees them, but without script and without this origin: a
// stored page could otherwise act with the session of whoever looks at it. Nor does
// it load anything: who stored it would learn of each look.
import { CodeXml, ExternalLink, ShieldCheck } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { client } from '../../../api/client.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { bytesUrl, contentHref } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import { extensionOf, plainType } from '../kinds.ts';
import type { Shown, ViewProps } from '../shown.ts';
import TextView from '../text/text.tsx';

/** Types that a browser shows as a page or a picture. */
const SERVED_TYPES = /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;
/** Pages that are shown out of memory: inside archives, or stored as another type. */
const IN_MEMORY_MAX_BYTES = 8_000_000;

async function pageUrl(shown: Shown, isSvg: boolean, signal: AbortSignal): Promise<string> {
  const isServedSo = SERVED_TYPES.test(plainType(shown.contentType));
  if (shown.object !== null && isServedSo)
    return isSvg ? bytesUrl(shown.object) : contentHref(shown.object, { isPage: true });
  // The policy of this page holds for what it makes itself.
  const bytes = await shown.source.read(0, IN_MEMORY_MAX_BYTES, signal);
  const type = isSvg ? 'image/svg+xml' : 'text/html';
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
  signal.addEventListener('abort', () => URL.revokeObjectURL(url));
  return url;
}

/** Where the page runs as a website of its own; null: the bucket has no domain. */
async function siteUrl(shown: Shown, signal: AbortSignal): Promise<string | null> {
  if (shown.object === null) return null;
  const { bucket, key } = shown.object;
  const { items, websiteHost } = await client.request('GET /buckets/{bucket}/domains', {
    path: { bucket },
    signal,
  });
  const domain = items.find(({ isBound, prefix }) => isBound && key.startsWith(prefix));
  const host = domain?.host ?? websiteHost;
  const path = key
    .slice(domain?.prefix.length ?? 0)
    .split('/')
    .map(encodeURIComponent);
  return host === null ? null : `https://${host}/${path.join('/')}`;
}

export default function PageView({ shown, compact }: ViewProps) {
  const texts = t().viewers.page;
  const [isSource, setSource] = useState(false);
  if (isSource)
    return <TextView shown={shown} compact={compact} onRendered={() => setSource(false)} />;
  return (
    <RenderedPage
      shown={shown}
      compact={compact}
      source={<Button icon={CodeXml} label={texts.source} onClick={() => setSource(true)} />}
    />
  );
}

type RenderedProps = ViewProps & { readonly source: ComponentChildren };

function RenderedPage({ shown, compact, source }: RenderedProps) {
  const texts = t().viewers.page;
  const isSvg =
    plainType(shown.contentType) === 'image/svg+xml' || extensionOf(shown.name) === 'svg';
  const url = useLoaded((signal) => pageUrl(shown, isSvg, signal), [shown.name]);
  const site = useLoaded(
    (signal) => (compact ? Promise.resolve(null) : siteUrl(shown, signal)),
    [shown.name],
  );
  const tools = (
    <>
      {site.value !== null && (
        <a class="button" href={site.value} target="_blank" rel="noreferrer">
          <Icon of={ExternalLink} />
          {texts.openSite}
        </a>
      )}
      {source}
    </>
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      <p class="viewer-note">
        <Icon of={ShieldCheck} /> {texts.noScript}
      </p>
      {url.error !== null && <Failure error={url.error} onRetry={url.reload} />}
      {url.value !== null && isSvg && (
        <div class="stage">
          <img src={url.value} alt={shown.name} />
        </div>
      )}
      {url.value !== null && !isSvg && (
        <iframe class="page-frame" sandbox="" src={url.value} title={texts.title(shown.name)} />
      )}
    </ViewerFrame>
  );
}

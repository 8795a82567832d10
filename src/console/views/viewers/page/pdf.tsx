// PDF: the browser's own viewer, which reads ranges by itself. Where it is missing,
// or the stored type keeps it away, a new tab is offered and the reason said.
import { ExternalLink, FileX2 } from 'lucide';
import { t } from '../../../i18n/i18n.ts';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Empty } from '../../../ui/small.tsx';
import { bytesUrl, contentHref } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import { plainType } from '../kinds.ts';
import type { Shown, ViewProps } from '../shown.ts';

/** Documents that are shown out of memory, where the stored headers would save them. */
const IN_MEMORY_MAX_BYTES = 32_000_000;
const TYPE = 'application/pdf';

/** An address that the viewer takes; null: there is none. */
async function pdfUrl(shown: Shown, signal: AbortSignal): Promise<string | null> {
  const { object, source } = shown;
  const isSaved = /^attachment/i.test(object?.detail.contentDisposition ?? '');
  if (object !== null && plainType(shown.contentType) === TYPE && !isSaved) return bytesUrl(object);
  if (source.sizeBytes > IN_MEMORY_MAX_BYTES) return null;
  const bytes = await source.read(0, source.sizeBytes, signal);
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: TYPE }));
  signal.addEventListener('abort', () => URL.revokeObjectURL(url));
  return url;
}

export default function PdfView({ shown, compact }: ViewProps) {
  const texts = t().viewers.pdf;
  const { object } = shown;
  const hasViewer = navigator.pdfViewerEnabled;
  const url = useLoaded(
    async (signal) => ({ found: hasViewer ? await pdfUrl(shown, signal) : null }),
    [shown.name],
  );
  const link = object !== null && (
    <a class="button secondary" href={contentHref(object)} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} />
      {texts.openInTab}
    </a>
  );
  if (url.error !== null) {
    return (
      <ViewerFrame compact={compact}>
        <Failure error={url.error} onRetry={url.reload} />
      </ViewerFrame>
    );
  }
  const found = url.value?.found ?? null;
  return (
    <ViewerFrame compact={compact} tools={link}>
      {url.value !== null && found === null && (
        <Empty icon={FileX2} title={texts.noViewer} action={link}>
          {texts.noViewerHint}
        </Empty>
      )}
      {found !== null && <iframe class="page-frame" src={found} title={texts.title(shown.name)} />}
    </ViewerFrame>
  );
}

// PDF: the browser's own viewer, which reads ranges by itself. Where it is missing, a
// new tab is offered and the reason said.
import { ExternalLink, FileX2 } from 'lucide';
import { t } from '../../../i18n/i18n.ts';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Empty } from '../../../ui/small.tsx';
import { contentHref, type ObjectAddress } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { Shown, ViewProps } from '../shown.ts';

/** Documents of an archive that are shown out of memory. */
const IN_MEMORY_MAX_BYTES = 32_000_000;

/**
 * The address of an object as a PDF, whatever type is stored with it. Its response has
 * no policy of its own and gets none of the page's, which the browser's viewer needs.
 */
const pdfHref = (object: ObjectAddress) => contentHref(object, { isPdf: true });

/** An address that the viewer takes; null: there is none. */
async function pdfUrl({ object, source }: Shown, signal: AbortSignal): Promise<string | null> {
  if (object !== null) return pdfHref(object);
  if (source.sizeBytes > IN_MEMORY_MAX_BYTES) return null;
  const bytes = await source.read(0, source.sizeBytes, signal);
  const type = 'application/pdf';
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
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
    <a class="button secondary" href={pdfHref(object)} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} />
      {t().object.openInTab}
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

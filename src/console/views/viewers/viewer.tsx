// Shows what is in an object: chooses a viewer by type, name and first bytes, and
// loads that one. The object page and quick look put it into their places.
import { FileX2 } from 'lucide';
import type { ComponentType } from 'preact';
import type { ObjectDetail } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { lazy } from '../../app/lazy.tsx';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/failure.tsx';
import { Empty } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';
import { objectSource } from './bytes.ts';
import { useLoaded, ViewerFrame } from './frame.tsx';
import { HEAD_BYTES, kindOf, kindOfBytes, type ViewerKind } from './kinds.ts';
import type { Shown, ViewProps } from './shown.ts';

const VIEWS: Readonly<Record<ViewerKind, ComponentType<ViewProps>>> = {
  image: lazy(() => import('./media/image.tsx')),
  heic: lazy(() => import('./media/heic.tsx')),
  video: lazy(() => import('./media/video.tsx')),
  audio: lazy(() => import('./media/audio.tsx')),
  pdf: lazy(() => import('./page/pdf.tsx')),
  page: lazy(() => import('./page/page.tsx')),
  markdown: lazy(() => import('./page/markdown.tsx')),
  table: lazy(() => import('./table/table.tsx')),
  text: lazy(() => import('./text/text.tsx')),
  log: lazy(() => import('./text/log.tsx')),
  gzip: lazy(() => import('./archive/gzip.tsx')),
  zip: lazy(() => import('./archive/zip.tsx')),
  tar: lazy(() => import('./archive/tar.tsx')),
  font: lazy(() => import('./media/font.tsx')),
  hex: lazy(() => import('./hex.tsx')),
  empty: Nothing,
};

export type ViewerProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly versionId?: string | undefined;
  /** What GET /object said of it, if that is known already. */
  readonly facts?: ObjectDetail | undefined;
  readonly compact?: boolean;
};

/** The query of one object, shared by all that show facts of it. */
export const objectQueryKey = (bucket: string, key: string, versionId = ''): string =>
  `object ${bucket} ${key} ${versionId}`;

/** All facts of an object, or of one version of it. */
export const useObject = (bucket: string, key: string, versionId: string | undefined) =>
  useQuery(objectQueryKey(bucket, key, versionId), (signal) =>
    client.request('GET /buckets/{bucket}/object', {
      path: { bucket },
      query: { key, versionId },
      signal,
    }),
  );

export function Viewer(props: ViewerProps) {
  if (props.facts !== undefined) return <StoredViewer {...props} facts={props.facts} />;
  return <ReadViewer {...props} />;
}

function ReadViewer(props: ViewerProps) {
  const { bucket, objectKey, versionId, compact = false } = props;
  const query = useObject(bucket, objectKey, versionId);
  const facts = query.data.value;
  if (facts !== null) return <StoredViewer {...props} facts={facts} />;
  return (
    <ViewerFrame compact={compact}>
      {query.error.value !== null && <Failure error={query.error.value} onRetry={query.reload} />}
    </ViewerFrame>
  );
}

type StoredProps = ViewerProps & { readonly facts: ObjectDetail };

function StoredViewer({ bucket, objectKey: key, facts, compact = false }: StoredProps) {
  const { versionId, etag, contentEncoding } = facts;
  const stored = { bucket, key, versionId, etag, contentEncoding, sizeBytes: Number(facts.size) };
  const shown: Shown = {
    name: nameOf(key),
    contentType: facts.contentType,
    source: objectSource(stored),
    object: { bucket, key, versionId, detail: facts },
  };
  return <ShownViewer key={`${key} ${versionId} ${etag}`} shown={shown} compact={compact} />;
}

/** Kinds that are text, which can be written where nothing is yet. */
const TEXTS = /^(?:text|markdown|page|table|log)$/;

/** The viewer of bytes, wherever they are. */
export function ShownViewer({ shown, compact }: ViewProps) {
  let named = kindOf(shown.name, shown.contentType);
  if (shown.source.sizeBytes === 0) named = TEXTS.test(named ?? '') ? 'text' : 'empty';
  if (named !== null) return <Chosen kind={named} shown={shown} compact={compact} />;
  return <ByFirstBytes shown={shown} compact={compact} />;
}

function ByFirstBytes({ shown, compact }: ViewProps) {
  const head = useLoaded((signal) => shown.source.read(0, HEAD_BYTES, signal), [shown.name]);
  if (head.value !== null) {
    return <Chosen kind={kindOfBytes(head.value)} shown={shown} compact={compact} />;
  }
  return (
    <ViewerFrame compact={compact}>
      {head.error !== null && <Failure error={head.error} onRetry={head.reload} />}
    </ViewerFrame>
  );
}

function Chosen({ kind, shown, compact }: ViewProps & { readonly kind: ViewerKind }) {
  const View = VIEWS[kind];
  return <View shown={shown} compact={compact} />;
}

function Nothing({ compact }: ViewProps) {
  return (
    <ViewerFrame compact={compact}>
      <Empty icon={FileX2} title={t().viewers.empty} />
    </ViewerFrame>
  );
}

// Two objects, or two versions of one, beside each other: whether their bytes are
// the same by digests first, then what differs in content, headers, metadata, tags.

import { useState } from 'preact/hooks';
import type { ObjectDetail } from 'quayside/client';
import { client } from '../../api/client.ts';
import { lazy } from '../../app/lazy.tsx';
import { bytes } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton, Time } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';
import { type ObjectAddress, objectSource } from '../viewers/bytes.ts';
import { useLoaded } from '../viewers/frame.tsx';
import { HEAD_BYTES, kindOf, kindOfBytes, type ViewerKind } from '../viewers/kinds.ts';
import { createDecoder } from '../viewers/text/decode.ts';
import { FactsDiff } from './facts-diff.tsx';
import { compareDigests, type Sameness } from './same-bytes.ts';

const ImagesDiff = lazy(() => import('./images-diff.tsx'));
const DiffView = lazy(() => import('../viewers/diff-view.tsx'));

/** Texts above this are not compared line by line, bytes. */
const TEXT_MAX_BYTES = 2 * 1024 * 1024;
const DIALOG_WIDTH = 1040;

type CompareProps = {
  /** What it is compared with; null: that is asked. */
  readonly left: ObjectAddress | null;
  readonly right: ObjectAddress;
  readonly onClose: () => void;
};

type Side = { readonly address: ObjectAddress; readonly detail: ObjectDetail };

async function readSide(address: ObjectAddress, signal: AbortSignal): Promise<Side> {
  const { bucket, key, versionId } = address;
  const detail = await client.request('GET /buckets/{bucket}/object', {
    path: { bucket },
    query: { key, versionId },
    signal,
  });
  return { address: { bucket, key, versionId: detail.versionId }, detail };
}

export default function Compare(props: CompareProps) {
  const texts = t().viewers.compare;
  const { right } = props;
  const [left, setLeft] = useState(props.left);
  const sides = useLoaded(
    async (signal) =>
      left === null ? null : Promise.all([readSide(left, signal), readSide(right, signal)]),
    [left, right],
  );
  const isLoading = left !== null && sides.value === null && sides.error === null;
  return (
    <Dialog title={texts.title} width={DIALOG_WIDTH} onClose={props.onClose}>
      <OtherObject isOpen={props.left === null} onCompare={setLeft} />
      {sides.error !== null && <Failure error={sides.error} onRetry={sides.reload} />}
      {isLoading && <Skeleton width={240} />}
      {sides.value !== null && <Both left={sides.value[0]} right={sides.value[1]} />}
    </Dialog>
  );
}

type BothProps = { readonly left: Side; readonly right: Side };

function Both({ left, right }: BothProps) {
  const texts = t().viewers.compare;
  const sameness = compareDigests(left.detail, right.detail);
  return (
    <>
      <div class="compare-heads">
        {[left, right].map(({ address, detail }) => (
          <div key={`${address.key} ${address.versionId}`}>
            <b>
              <bdi>{nameOf(address.key)}</bdi>
            </b>
            <span class="dim">
              <Time at={detail.lastModified} /> · {bytes(detail.size)}
            </span>
          </div>
        ))}
      </div>
      <Words sameness={sameness} />
      {sameness.is !== 'same' && (
        <section>
          <h3 class="section-title">{texts.content}</h3>
          <ContentDiff left={left} right={right} />
        </section>
      )}
      <section>
        <h3 class="section-title">{texts.facts}</h3>
        <FactsDiff left={left.detail} right={right.detail} />
      </section>
    </>
  );
}

function Words({ sameness }: { readonly sameness: Sameness }) {
  const texts = t().viewers.compare;
  if (sameness.is === 'unknown') return <p class="plain">{texts.unknown}</p>;
  const how =
    sameness.by === 'checksum'
      ? texts.byChecksum(sameness.algorithm)
      : sameness.by === 'size'
        ? texts.bySize
        : texts.byEtag;
  return (
    <p class="plain" data-same={sameness.is}>
      <b>{sameness.is === 'same' ? texts.same : texts.different}</b> {texts.sameHint(how)}
    </p>
  );
}

const storedOf = ({ address, detail }: Side) => ({
  ...address,
  etag: detail.etag,
  sizeBytes: Number(detail.size),
  contentEncoding: detail.contentEncoding,
});

/** What is compared as text: also what is shown as tables, pages and logs. */
const AS_TEXT: ReadonlySet<ViewerKind> = new Set([
  'text',
  'markdown',
  'table',
  'page',
  'log',
  'empty',
]);

type Contents =
  | { readonly kind: 'text'; readonly left: string; readonly right: string }
  | { readonly kind: 'images' | 'large' | 'other' };

async function readContents(left: Side, right: Side, signal: AbortSignal): Promise<Contents> {
  const kinds = await Promise.all([left, right].map((side) => kindOfSide(side, signal)));
  if (kinds.every((kind) => kind === 'image')) return { kind: 'images' };
  if (!kinds.every((kind) => AS_TEXT.has(kind))) return { kind: 'other' };
  const isLarge = [left, right].some(({ detail }) => Number(detail.size) > TEXT_MAX_BYTES);
  if (isLarge) return { kind: 'large' };
  const [one = '', other = ''] = await Promise.all(
    [left, right].map(async (side) => {
      const page = await objectSource(storedOf(side)).read(0, TEXT_MAX_BYTES, signal);
      return createDecoder().decode(page, true);
    }),
  );
  return { kind: 'text', left: one, right: other };
}

async function kindOfSide(side: Side, signal: AbortSignal): Promise<ViewerKind> {
  if (side.detail.size === '0') return 'empty';
  const named = kindOf(side.address.key, side.detail.contentType);
  return named ?? kindOfBytes(await objectSource(storedOf(side)).read(0, HEAD_BYTES, signal));
}

function ContentDiff({ left, right }: BothProps) {
  const texts = t().viewers.compare;
  const contents = useLoaded((signal) => readContents(left, right, signal), [left, right]);
  if (contents.error !== null) return <Failure error={contents.error} onRetry={contents.reload} />;
  if (contents.value === null) return <Skeleton width={240} />;
  const found = contents.value;
  if (found.kind === 'text') {
    return <DiffView before={found.left} after={found.right} label={texts.content} />;
  }
  if (found.kind === 'images') return <ImagesDiff left={left.address} right={right.address} />;
  return (
    <p class="dim">
      {found.kind === 'large' ? texts.tooLarge(bytes(TEXT_MAX_BYTES)) : texts.notText}
    </p>
  );
}

const S3_PATH = /^s3:\/\/([^/]{1,63})\/(.{1,1024})$/;

type OtherProps = {
  readonly isOpen: boolean;
  readonly onCompare: (address: ObjectAddress) => void;
};

/** Takes any other object of the account as the left side. */
function OtherObject({ isOpen, onCompare }: OtherProps) {
  const texts = t().viewers.compare;
  const [path, setPath] = useState('');
  const [error, setError] = useState<string | null>(null);
  const take = () => {
    const [, bucket, key] = S3_PATH.exec(path.trim()) ?? [];
    if (bucket === undefined || key === undefined) return setError(texts.notPath);
    setError(null);
    onCompare({ bucket, key });
  };
  return (
    <details class="compare-other" open={isOpen}>
      <summary>{texts.other}</summary>
      <TextField
        label={texts.other}
        mono
        value={path}
        hint={texts.otherHint}
        error={error}
        onInput={setPath}
      />
      <Button kind="secondary" label={texts.title} onClick={take} />
    </details>
  );
}

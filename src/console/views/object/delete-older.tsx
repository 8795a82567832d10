// Deletes the older versions of one object for good, one after the other: the API
// takes one version a request. What fails stays and is counted.

import { useRef, useState } from 'preact/hooks';
import type { ObjectVersion } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { bytes, exactCount } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { InlineError, LoadLine, PlainWords } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';
import { refreshObject } from './versions.tsx';

type OlderProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly versions: readonly ObjectVersion[];
  readonly onClose: () => void;
};

/** Requests that are under way at once. */
const AT_ONCE = 4;

export function DeleteOlder({ bucket, objectKey: key, versions, onClose }: OlderProps) {
  const texts = t().object.versions;
  const older = versions.filter(({ isLatest }) => !isLatest);
  const sum = older.reduce((total, { size }) => total + Number(size), 0);
  const [done, setDone] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef(new AbortController());

  async function remove(): Promise<void> {
    setError(null);
    setDone(0);
    const left = [...older];
    const { signal } = stop.current;
    const worker = async () => {
      for (let version = left.pop(); version !== undefined; version = left.pop()) {
        await client.request('DELETE /buckets/{bucket}/object', {
          path: { bucket },
          query: { key, versionId: version.versionId },
          signal,
        });
        setDone((count) => (count ?? 0) + 1);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    refreshObject(bucket, key);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return onClose();
    setDone(null);
    if (!signal.aborted) setError(failed.reason);
  }
  const close = () => {
    stop.current.abort();
    onClose();
  };
  return (
    <ActDialog
      title={texts.deleteOlderTitle(nameOf(key))}
      onClose={close}
      width={560}
      kind="danger"
      label={texts.deleteOlderDo(exactCount(older.length))}
      act={{ isBusy: done !== null }}
      onSubmit={() => void remove()}
    >
      <PlainWords tone="lose">
        {texts.deleteOlderWords(exactCount(older.length), bytes(sum))}
      </PlainWords>
      {done !== null && (
        <LoadLine label={texts.deleteOlder} now={done / Math.max(1, older.length)} />
      )}
      {error !== null && <InlineError text={errorLine(error)} />}
    </ActDialog>
  );
}

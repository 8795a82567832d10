// Unfinished uploads of a bucket, also of other devices: with the same file one goes on
// where it stopped; what differs is sent again, part by part.
import { useRef, useState } from 'preact/hooks';
import { client } from '../../../api/client.ts';
import { errorLine } from '../../../api/describe-error.ts';
import { invalidate, useQuery } from '../../../api/query.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { openDialog } from '../../../ui/open-dialog.tsx';
import { Bytes, InlineError, Name, Skeleton, Time } from '../../../ui/small.tsx';
import { openKeys, sendFiles } from '../send/upload-store.ts';

/** Uploads that are shown; a folder with more is a matter of a lifecycle rule. */
const SHOWN_MAX = 200;

export function openUnfinished(bucket: string, prefix: string): void {
  openDialog((close) => <Unfinished bucket={bucket} prefix={prefix} onClose={close} />);
}

type UnfinishedProps = {
  readonly bucket: string;
  readonly prefix: string;
  readonly onClose: () => void;
};

type Row = { readonly id: string; readonly key: string; readonly startedAt: string };

async function readRows(bucket: string, prefix: string, signal: AbortSignal): Promise<Row[]> {
  const own = openKeys(bucket);
  const rows: Row[] = [];
  for await (const row of client.uploads.list(bucket, { query: { prefix }, signal })) {
    if (!own.has(row.key)) rows.push(row);
    if (rows.length === SHOWN_MAX) break;
  }
  return rows;
}

export function Unfinished({ bucket, prefix, onClose }: UnfinishedProps) {
  const texts = t().upload;
  const key = `unfinished ${bucket} ${prefix}`;
  const { data, error } = useQuery(key, (signal) => readRows(bucket, prefix, signal));
  return (
    <Dialog title={texts.unfinished} width={620} onClose={onClose}>
      {error.value !== null && <InlineError text={errorLine(error.value)} />}
      {data.value === null && error.value === null && <Skeleton width={280} />}
      {data.value?.length === 0 && <p class="dim">{texts.noUnfinished}</p>}
      {data.value !== null && data.value.length > 0 && (
        <ul class="clashes">
          {data.value.map((row) => (
            <UnfinishedRow key={row.id} bucket={bucket} row={row} onClose={onClose} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

type RowProps = { readonly bucket: string; readonly row: Row; readonly onClose: () => void };

function UnfinishedRow({ bucket, row, onClose }: RowProps) {
  const texts = t().upload;
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const path = { bucket, uploadId: row.id };
  const { data } = useQuery(`unfinished-parts ${bucket} ${row.id}`, async (signal) => {
    const sizes: number[] = [];
    const query = { key: row.key };
    for await (const part of client.uploads.parts(path.bucket, path.uploadId, { query, signal })) {
      sizes.push(Number(part.size));
    }
    return sizes;
  });
  const sentBytes = data.value?.reduce((sum, size) => sum + size, 0) ?? 0;

  function take(file: File | undefined): void {
    if (file === undefined) return;
    if (file.size < sentBytes) {
      setProblem(texts.tooSmall);
      return;
    }
    onClose();
    const name = row.key.slice(row.key.lastIndexOf('/') + 1);
    const prefix = row.key.slice(0, row.key.length - name.length);
    sendFiles({ bucket, prefix }, [{ file, path: name, key: row.key, uploadId: row.id }]);
  }
  const giveUp = async () => {
    try {
      await client.uploads.abort(bucket, row.id, { query: { key: row.key } });
      invalidate(`unfinished ${bucket}`);
    } catch (cause) {
      setProblem(errorLine(cause));
    }
  };

  return (
    <li>
      <Name text={row.key} />
      <span class="dim">
        <Bytes value={sentBytes} /> {texts.arrivedSince} <Time at={row.startedAt} />
        {problem !== null && <InlineError text={problem} />}
      </span>
      <span class="row-verbs">
        <Button
          kind="secondary"
          label={texts.chooseTheFile}
          onClick={() => input.current?.click()}
        />
        <Button label={texts.giveUp} onClick={() => void giveUp()} />
        <input
          ref={input}
          type="file"
          hidden
          aria-label={`${texts.chooseTheFile}: ${row.key}`}
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </span>
    </li>
  );
}

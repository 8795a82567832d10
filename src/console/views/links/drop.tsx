// The dialog that makes a drop link into a folder, or changes one: what it lets whom
// send stands in words above its button.
import { useState } from 'preact/hooks';
import type { DropLink } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { bytes, count, endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { SelectField } from '../../ui/field.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { PlainWords } from '../../ui/small.tsx';
import type { ChangeProps } from '../change/change-props.ts';
import { changeDrop, createDrop } from './drop-calls.ts';
import { dropBodyOf, dropDraftOf, dropErrorsOf, prefixOf } from './drop-draft.ts';
import { DropFields } from './drop-fields.tsx';
import { dropPath } from './link-names.ts';
import { FormDialog } from './share.tsx';
import { endOf } from './share-draft.ts';

/** The dialog of a folder: the one that is selected, else the one that is shown. */
export default function Ask({ selection, onClose }: ChangeProps) {
  const { bucket, rows } = selection;
  const [row] = rows;
  const isFolder = rows.length === 1 && row?.isFolder === true;
  const prefix = isFolder ? row.key : selection.prefix;
  return <DropForm bucket={bucket} prefix={prefix} link={null} onClose={onClose} />;
}

/** Opens the dialog of a link that is there, or of a new one; without a bucket it asks for one. */
export function openDropForm(bucket: string | null, link: DropLink | null = null): void {
  openDialog((close) => <DropForm bucket={bucket} prefix="" link={link} onClose={close} />);
}

type FormProps = {
  /** Null: one of all buckets is chosen. */
  readonly bucket: string | null;
  readonly prefix: string;
  /** The link that is changed; null: a new one. */
  readonly link: DropLink | null;
  readonly onClose: () => void;
};

function DropForm({ bucket: given, prefix, link, onClose }: FormProps) {
  const texts = t().links;
  const first = link === null ? dropDraftOf(null, prefix) : dropDraftOf(link);
  const [draft, setDraft] = useState(first);
  const [choice, setChoice] = useState('');
  const names = useBucketNames(given === null);
  const bucket = given ?? (choice === '' ? (names[0] ?? '') : choice);
  const errors = dropErrorsOf(draft, texts);
  const [wrong = bucket === '' ? t().buckets.none : null] = Object.values(errors);

  async function send(): Promise<DropLink | null> {
    const body = dropBodyOf(draft, link);
    if (link === null) return createDrop(bucket, body);
    await changeDrop(bucket, link.id, body, link);
    return null;
  }

  const endsAt = endOf(draft);
  const { limits } = dropBodyOf(draft, link);
  const size = limits?.totalBytes == null ? null : bytes(limits.totalBytes);
  const most = texts.drop.most(count(limits?.files ?? 0), size);
  const end = endsAt === null ? texts.always : texts.until(endTime(endsAt));
  return (
    <FormDialog
      title={link === null ? texts.drop.ask : texts.drop.changeTitle}
      isDirty={draft.pageTitle !== first.pageTitle || draft.pageText !== first.pageText}
      isNew={link === null}
      wrong={wrong}
      send={send}
      words={texts.drop.madeWords}
      more={texts.drop.inbox}
      pathOf={({ id }) => dropPath(bucket, id)}
      onClose={onClose}
    >
      {given === null && (
        <SelectField
          label={texts.bucket}
          value={bucket}
          onChange={setChoice}
          options={names.map((name) => ({ value: name, label: name }))}
        />
      )}
      <DropFields draft={draft} errors={errors} link={link} onChange={setDraft} />
      {wrong === null && (
        <PlainWords tone="open">
          {texts.drop.effect(most, `${bucket}/${prefixOf(draft)}`, end)}
          {draft.quarantine && ` ${texts.drop.waits}`}
        </PlainWords>
      )}
    </FormDialog>
  );
}

/** The buckets that a link may be for. */
function useBucketNames(isWanted: boolean): readonly string[] {
  const buckets = useQuery(isWanted ? 'buckets names' : null, (signal) =>
    client.request('GET /buckets', { query: { limit: 1000 }, signal }),
  );
  return (buckets.data.value?.items ?? []).map(({ name }) => name);
}

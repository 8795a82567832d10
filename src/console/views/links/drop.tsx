// The dialog that makes a drop link into a folder, or changes one: what it lets whom
// send stands in words above its button.
import { useState } from 'preact/hooks';
import type { DropLink } from 'quayside/client';
import { useBucketNames } from '../../api/bucket-names.ts';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { bytes, count, endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { SelectField } from '../../ui/field.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Note, PlainWords } from '../../ui/small.tsx';
import type { ChangeProps } from '../change/change-props.ts';
import { changeDrop, createDrop } from './drop-calls.ts';
import { dropBodyOf, dropDraftOf, dropErrorsOf, QUARANTINES } from './drop-draft.ts';
import { DropFields } from './drop-fields.tsx';
import { dropPath } from './link-names.ts';
import { FormDialog } from './share.tsx';
import { endOf } from './share-draft.ts';

/** How long typing must rest before readers of a place are requested, milliseconds. */
const SETTLES_AFTER_MS = 80;

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
  const proposed = useFirstBucket(names, given === null);
  const bucket = given ?? (choice || proposed);
  const errors = dropErrorsOf(draft, texts);
  const [wrong = bucket === '' ? t().buckets.none : null] = Object.values(errors);

  async function send(): Promise<DropLink | null> {
    const body = dropBodyOf(draft, link);
    if (link === null) return createDrop(bucket, body);
    await changeDrop(bucket, link.id, body, link);
    return null;
  }

  const endsAt = endOf(draft);
  const { limits, prefix: into = '' } = dropBodyOf(draft, link);
  // What waits is public, too, where everyone may read the quarantine.
  const waiting = draft.quarantine ? [link?.quarantine ?? QUARANTINES] : [];
  const size = limits?.totalBytes == null ? null : bytes(limits.totalBytes);
  const most = texts.drop.most(count(limits?.files ?? 0), size);
  const end = endsAt === null ? texts.always : texts.until(endTime(endsAt));
  return (
    <FormDialog
      title={link === null ? t().browse.ask : texts.drop.changeTitle}
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
      <PublicWarning bucket={bucket} prefixes={[...waiting, into]} />
      {wrong === null && (
        <PlainWords tone="open">
          {texts.drop.effect(most, `${bucket}/${into}`, end)}
          {draft.quarantine && ` ${texts.drop.waits}`}
        </PlainWords>
      )}
    </FormDialog>
  );
}

/** The first private bucket, else the first: what comes in shall not be public by chance. */
function useFirstBucket(names: readonly string[], isWanted: boolean): string {
  const { data, error } = useQuery(isWanted ? 'buckets private' : null, async (signal) => {
    const query = { include: 'totals', limit: 100 } as const;
    const { items } = await client.request('GET /buckets', { query, signal });
    return items.find(({ totals }) => totals?.publicAccess === 'none')?.name ?? '';
  });
  const [first = ''] = names;
  return data.value === null && error.value === null ? '' : data.value || first;
}

type WarningProps = { readonly bucket: string; readonly prefixes: readonly string[] };

/** Says where everyone may read what comes in; nothing of private places. */
function PublicWarning({ bucket, prefixes }: WarningProps) {
  const places = prefixes.join('\n');
  const open = useQuery(
    bucket === '' ? null : `drop readers ${bucket} ${places}`,
    async (signal) => {
      await new Promise((done) => setTimeout(done, SETTLES_AFTER_MS));
      for (const prefix of places.split('\n')) {
        const { items } = await client.request('POST /buckets/{bucket}/access-checks', {
          path: { bucket },
          body: { prefix },
          signal,
        });
        const [right] = items.find(({ who }) => who.kind === 'strangers')?.rights ?? [];
        if (right && right.allowed !== 'no') return { prefix, isWhole: right.allowed === 'yes' };
      }
      return null;
    },
  ).data.value;
  if (open === null) return null;
  return <Note>{t().links.drop.isPublic(`${bucket}/${open.prefix}`, open.isWhole)}</Note>;
}

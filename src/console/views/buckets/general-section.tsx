// General: what the bucket stores, since when, whether it keeps versions, and how long
// its trash.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { bytes, count, date, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/failure.tsx';
import { RadioField, TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/small.tsx';
import { useListed } from './bucket-list.ts';
import { Part, SavedForm, type SectionProps, SettingForm } from './setting-form.tsx';
import { useSetting } from './use-setting.ts';

/** Days that a trash keeps at most; the server's limit. */
const TRASH_MAX_DAYS = 3650;

export function GeneralSection(props: SectionProps) {
  const { bucket } = props;
  const texts = t().buckets.general;
  return (
    <>
      <Totals {...props} />
      <SettingForm
        {...props}
        title={texts.versioning}
        sentence={texts.versioningHint}
        read={({ versioning }) => versioning}
        change={(versioning) => (versioning === 'off' ? {} : { versioning })}
      >
        {(versioning, set) => (
          <RadioField
            legend={texts.versioning}
            name="versioning"
            value={versioning}
            onChange={set}
            options={(['enabled', 'suspended', 'off'] as const)
              // What has kept versions once can only pause.
              .filter(
                (value) =>
                  (bucket.versioning === 'off') === (value !== 'suspended') || value === 'enabled',
              )
              .map((value) => ({
                value,
                label: texts.states[value],
                hint: texts.stateHints[value],
              }))}
          />
        )}
      </SettingForm>
      <Trash {...props} />
    </>
  );
}

function Totals({ bucket }: SectionProps) {
  const texts = t().buckets;
  const listed = useListed(bucket.name);
  const totals = listed.data.value?.totals ?? null;
  const rows: readonly [string, string | null][] = [
    [texts.general.made, date(bucket.createdAt)],
    [
      texts.danger.objects,
      totals && `${count(totals.current.objects)} · ${bytes(totals.current.bytes)}`,
    ],
    [
      texts.danger.versions,
      totals && `${count(totals.noncurrent.objects)} · ${bytes(totals.noncurrent.bytes)}`,
    ],
    [
      texts.danger.uploads,
      totals && `${count(totals.uploads.objects)} · ${bytes(totals.uploads.bytes)}`,
    ],
    [
      texts.general.costs,
      totals && t().units.aMonth(smallMoney(totals.perMonthMicro, totals.currency)),
    ],
  ];
  return (
    <Part title={texts.general.stored} sentence={texts.general.storedHint}>
      {listed.error.value !== null && totals === null && (
        <Failure error={listed.error.value} onRetry={listed.reload} />
      )}
      <dl class="effects">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? <Skeleton width={80} />}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

type TrashSettings = { readonly days: number | null };

function Trash({ bucket, onSaved }: SectionProps) {
  const { name } = bucket;
  const texts = t().buckets.general;
  const trash = useQuery(`bucket ${name} trash`, (signal) =>
    client.request('GET /buckets/{bucket}/trash/settings', { path: { bucket: name }, signal }),
  );
  const whole = trash.data.value;
  return (
    <Part title={texts.trash} sentence={texts.trashHint}>
      {whole === null && trash.error.value !== null && (
        <Failure error={trash.error.value} onRetry={trash.reload} />
      )}
      {whole === null && trash.error.value === null && <Skeleton width={120} />}
      {whole !== null && (
        <TrashForm
          name={name}
          whole={whole}
          onSaved={(saved) => {
            trash.set(saved);
            // It switches versioning on, so the settings are read again.
            void client.buckets.get(name).then(onSaved, () => undefined);
          }}
        />
      )}
    </Part>
  );
}

type TrashFormProps = {
  readonly name: string;
  readonly whole: TrashSettings;
  readonly onSaved: (saved: TrashSettings) => void;
};

function TrashForm({ name, whole, onSaved }: TrashFormProps) {
  const texts = t().buckets.general;
  const setting = useSetting<TrashSettings, string>({
    whole,
    read: ({ days }) => (days === null ? '' : `${days}`),
    save: (days, base) =>
      client.trash.setSettings(name, {
        body: { days: days === '' ? null : Number(days) },
        ifMatch: base,
      }),
    reload: () => client.trash.settings(name),
    onSaved,
  });
  const { draft, set } = setting;
  const days = Number(draft);
  const isWrong = draft !== '' && !(Number.isInteger(days) && days >= 1 && days <= TRASH_MAX_DAYS);
  const problem = isWrong ? texts.trashWrong(count(TRASH_MAX_DAYS)) : null;
  return (
    <SavedForm setting={setting} problem={problem}>
      <TextField
        label={texts.trashDays}
        type="number"
        min={1}
        max={TRASH_MAX_DAYS}
        value={draft}
        onInput={set}
        hint={texts.trashDaysHint}
        error={problem}
      />
    </SavedForm>
  );
}

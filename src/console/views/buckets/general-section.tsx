// General: what the bucket stores, since when, how it was served this month, whether it
// keeps versions, and how long its trash.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { may } from '../../app/session.ts';
import { bytes, count, date, percent, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { RadioField, TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/small.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useListed } from './bucket-list.ts';
import { servedOf } from './served.ts';
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
      {may('usage:read') && <ThisMonth {...props} />}
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
  const rows: NumbersProps['rows'] = [
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
      <Waiting of={listed} />
      <Numbers rows={rows} />
    </Part>
  );
}

/** What went out since the month began, how much of it from caches, and what failed. */
function ThisMonth({ bucket: { name } }: SectionProps) {
  const texts = t().buckets.general;
  const { groups } = t().usage;
  const usage = useQuery(`bucket ${name} month`, (signal) => {
    const from = `${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`;
    return client.request('GET /usage', { query: { bucket: name, from, by: 'total' }, signal });
  });
  const items = usage.data.value?.items;
  const served = items && servedOf(items);
  return (
    <Part title={texts.thisMonth} sentence={texts.thisMonthHint}>
      <Waiting of={usage} />
      <Numbers
        rows={[
          [groups.traffic, served && bytes(served.bytes)],
          [texts.hitRatio, served && (served.hitRatio === null ? '–' : percent(served.hitRatio))],
          [texts.clientErrors, served && count(served.clientErrors)],
          [texts.serverErrors, served && count(served.serverErrors)],
        ]}
      />
    </Part>
  );
}

type NumbersProps = { readonly rows: readonly (readonly [string, string | null | undefined])[] };

function Numbers({ rows }: NumbersProps) {
  return (
    <dl class="effects">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <Skeleton width={80} />}</dd>
        </div>
      ))}
    </dl>
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
      <Waiting of={trash} width={120} />
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

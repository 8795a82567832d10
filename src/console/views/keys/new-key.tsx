// The form of a new access key; below it stands in words what the key can do.
import { KeyRound } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client, QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { me } from '../../app/session.ts';
import { compareNames } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CheckField, RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { InlineError } from '../../ui/small.tsx';
import { KeyBar } from './key-bar.tsx';
import { CanList } from './key-made.tsx';
import { showMadeKey } from './made-key.ts';
import { ACTS, type Act, type KeyForm, scopeOf, splitAddresses } from './scope.ts';

/** Source: the API's schema of a scope. */
const BUCKETS_MAX = 50;
const DAY_MS = 86_400_000;
const END_CHOICES = ['30', '90', '365', 'date', 'never'] as const;
type EndChoice = (typeof END_CHOICES)[number];

type Errors = Partial<Record<'name' | 'buckets' | 'acts' | 'addresses' | 'end', string>>;

/** Addresses of both kinds, with or without a range; the server reads them exactly. */
const ADDRESS = /^[0-9a-fA-F:.]{2,45}(?:\/\d{1,3})?$/;

const EMPTY: KeyForm = {
  name: '',
  signsIn: false,
  buckets: null,
  prefix: '',
  acts: ['read', 'write', 'list'],
  addresses: '',
  expiresAt: null,
};

function errorsOf(form: KeyForm, isEndMissing: boolean): Errors {
  const texts = t().keys;
  const bad = splitAddresses(form.addresses).find((part) => !ADDRESS.test(part));
  const limits: Errors = {
    ...(form.buckets?.length === 0 ? { buckets: texts.noneChosen } : {}),
    ...((form.buckets?.length ?? 0) > BUCKETS_MAX ? { buckets: texts.tooMany(BUCKETS_MAX) } : {}),
    ...(form.acts?.length === 0 ? { acts: texts.noActs } : {}),
    ...(bad === undefined ? {} : { addresses: texts.badAddress(bad) }),
  };
  return {
    ...(form.name.trim() === '' ? { name: texts.nameMissing } : {}),
    ...(form.signsIn ? {} : limits),
    ...(isEndMissing ? { end: texts.endMissing } : {}),
  };
}

/** The end of a choice; a day ends when it is over where the reader is. */
function endOf(choice: EndChoice, day: string): string | null {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(Date.now() + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) || end.getTime() < Date.now() ? null : end.toISOString();
}

export default function NewKey() {
  const texts = t().keys;
  const [form, setForm] = useState<KeyForm>(EMPTY);
  const [choice, setChoice] = useState<EndChoice>('365');
  const [day, setDay] = useState('');
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const element = useRef<HTMLFormElement>(null);
  const change = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));
  const expiresAt = endOf(choice, day);
  const errors = errorsOf(form, choice === 'date' && expiresAt === null);
  const shown: Errors = isTried ? errors : {};
  useEffect(() => {
    document.title = `${texts.newTitle} · Quayside`;
  }, []);

  async function create(): Promise<void> {
    setTried(true);
    if (Object.keys(errors).length > 0) {
      setTimeout(() => element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const body = { name: form.name.trim(), scope: scopeOf(form), expiresAt };
      showMadeKey(await withProof(() => client.keys.create({ body })));
    } catch (cause) {
      const isFields = cause instanceof QuaysideError && cause.fields.length > 0;
      setFailure(
        isFields ? cause.fields.map(({ message }) => message).join(' ') : errorLine(cause),
      );
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <KeyBar title={t().keys.newTitle} />
      <div class="page">
        <form
          ref={element}
          class="wrap key-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void create();
          }}
        >
          <div class="key-fields">
            <TextField
              label={t().browse.name}
              value={form.name}
              onInput={(name) => change({ name })}
              hint={texts.nameHint}
              error={shown.name}
              maxLength={128}
              autofocus
            />
            <RadioField
              legend={texts.kind}
              name="kind"
              value={form.signsIn ? 'people' : 'programs'}
              onChange={(kind) => change({ signsIn: kind === 'people' })}
              options={[
                { value: 'programs', label: texts.forPrograms, hint: texts.forProgramsHint },
                { value: 'people', label: texts.forPeople, hint: texts.forPeopleHint },
              ]}
            />
            {!form.signsIn && <Limits form={form} errors={shown} onChange={change} />}
            <End choice={choice} onChoice={setChoice} day={day} onDay={setDay} error={shown.end} />
          </div>
          <section class="key-words" aria-label={texts.scope}>
            <h2 class="section-title">{texts.scope}</h2>
            <CanList
              accessKey={{
                scope: scopeOf(form),
                role: form.signsIn ? (me.value?.role ?? null) : null,
                expiresAt,
              }}
            />
            {failure !== null && <InlineError text={failure} />}
            <div class="entry-actions">
              <LinkButton kind="secondary" to="/keys" label={t().shell.cancel} />
              <Button
                kind="primary"
                type="submit"
                icon={KeyRound}
                label={texts.create}
                isBusy={isBusy}
              />
            </div>
          </section>
        </form>
      </div>
    </>
  );
}

type EndProps = {
  readonly choice: EndChoice;
  readonly onChoice: (choice: EndChoice) => void;
  readonly day: string;
  readonly onDay: (day: string) => void;
  readonly error: string | undefined;
};

/** When the key ends: after some days, on a day, or never. */
function End({ choice, onChoice, day, onDay, error }: EndProps) {
  const texts = t().keys;
  return (
    <div class="two-fields">
      <SelectField<EndChoice>
        label={texts.end}
        value={choice}
        options={END_CHOICES.map((value) => ({ value, label: texts.endChoices[value] }))}
        onChange={onChoice}
      />
      {choice === 'date' && (
        <TextField label={texts.endDay} type="date" value={day} onInput={onDay} error={error} />
      )}
    </div>
  );
}

type LimitsProps = {
  readonly form: KeyForm;
  readonly errors: Errors;
  readonly onChange: (part: Partial<KeyForm>) => void;
};

function Limits({ form, errors, onChange }: LimitsProps) {
  const texts = t().keys;
  return (
    <>
      <RadioField
        legend={t().shell.buckets}
        name="buckets"
        value={form.buckets === null ? 'all' : 'chosen'}
        onChange={(which) => onChange({ buckets: which === 'all' ? null : [] })}
        options={[
          { value: 'all', label: texts.allBuckets, hint: texts.allBucketsHint },
          { value: 'chosen', label: texts.chosen },
        ]}
      />
      {form.buckets !== null && (
        <BucketChoice
          chosen={form.buckets}
          error={errors.buckets}
          onChange={(buckets) => onChange({ buckets })}
        />
      )}
      <TextField
        label={texts.prefix}
        aside={t().units.optional}
        value={form.prefix}
        onInput={(prefix) => onChange({ prefix })}
        hint={texts.prefixHint}
        mono
      />
      <Matrix acts={form.acts} error={errors.acts} onChange={(acts) => onChange({ acts })} />
      <TextField
        label={texts.addresses}
        aside={t().units.optional}
        value={form.addresses}
        onInput={(addresses) => onChange({ addresses })}
        hint={texts.addressesHint}
        error={errors.addresses}
        mono
      />
    </>
  );
}

function BucketChoice(props: {
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const { chosen, error, onChange } = props;
  const texts = t().keys;
  const [text, setText] = useState('');
  const buckets = useQuery('buckets all-names', async (signal) => {
    const names: string[] = [];
    for await (const { name } of client.buckets.list({ signal })) names.push(name);
    return names.toSorted(compareNames);
  });
  const names = (buckets.data.value ?? []).filter((name) => name.includes(text.toLowerCase()));
  const toggle = (name: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, name] : chosen.filter((one) => one !== name));
  return (
    <div class="key-buckets">
      {(buckets.data.value?.length ?? 0) > 8 && (
        <input
          class="input"
          type="search"
          aria-label={texts.filterBuckets}
          placeholder={texts.filterBuckets}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div class="choice-list" role="group" aria-label={texts.chosen} tabIndex={-1}>
        {names.map((name) => (
          <CheckField
            key={name}
            label={<bdi>{name}</bdi>}
            checked={chosen.includes(name)}
            onChange={(isChosen) => toggle(name, isChosen)}
          />
        ))}
      </div>
      {buckets.error.value !== null && <InlineError text={errorLine(buckets.error.value)} />}
      {error !== undefined && <InlineError text={error} />}
    </div>
  );
}

type MatrixProps = {
  readonly acts: KeyForm['acts'];
  readonly error: string | undefined;
  readonly onChange: (acts: KeyForm['acts']) => void;
};

/** One row an action: what it is about, and whether the key may. */
function Matrix({ acts, error, onChange }: MatrixProps) {
  const texts = t().keys;
  const toggle = (act: Act, isAllowed: boolean) =>
    onChange(ACTS.filter((one) => (one === act ? isAllowed : (acts ?? []).includes(one))));
  return (
    <div>
      <table class="matrix">
        <caption>{t().browse.actions}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{texts.allowed}</th>
            <th scope="col">{texts.action}</th>
          </tr>
        </thead>
        <tbody>
          {ACTS.map((act) => (
            <tr key={act}>
              <td>
                <label class="pick-target">
                  <input
                    type="checkbox"
                    aria-label={texts.actRows[act]}
                    checked={acts === null || acts.includes(act)}
                    disabled={acts === null}
                    onChange={(event) => toggle(act, event.currentTarget.checked)}
                  />
                </label>
              </td>
              <th scope="row">
                {texts.actRows[act]}
                <span class="hint">{texts.actHints[act]}</span>
              </th>
            </tr>
          ))}
        </tbody>
      </table>
      <CheckField
        label={texts.all}
        checked={acts === null}
        onChange={(isAll) => onChange(isAll ? null : [...ACTS])}
      />
      {error !== undefined && <InlineError text={error} />}
    </div>
  );
}

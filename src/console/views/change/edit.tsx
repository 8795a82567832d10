// Edit headers, metadata, tags, class and lock: one object by what it has, many as a job.
// No byte moves; each object gets a new version of the same bytes, but for tags and lock.
import { SlidersHorizontal } from 'lucide';
import { useId, useState } from 'preact/hooks';
import { client, QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { mayOverrideLocks } from '../../app/session.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { CancelOr, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Field, TextField } from '../../ui/field.tsx';
import { InlineError, PlainWords, Skeleton } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { nameOf } from '../browse/selection.ts';
import {
  changeOfMany,
  changeOfOne,
  EMPTY,
  FIELDS,
  type FieldName,
  KEEP_LOCK,
  lockChangeOf,
  type ObjectChange,
  type ObjectDetail,
  type Values,
  valuesOf,
} from './attributes.ts';
import { type ChangeProps, jobTargets } from './change-props.ts';
import { LockFields } from './lock-fields.tsx';
import { runJob } from './run-job.ts';
import { useAct } from './use-act.ts';

/** Values of Cache-Control that most people need. Source: RFC 9111, RFC 8246 (immutable). */
const CACHE_PRESETS = {
  forever: 'public, max-age=31536000, immutable',
  hour: 'public, max-age=3600',
  ask: 'no-cache',
  never: 'no-store',
} as const;

export default function Edit(props: ChangeProps) {
  const { rows, isAll } = props.selection;
  const [first] = rows;
  const isOne = !isAll && rows.length === 1 && first?.isFolder === false;
  return isOne ? <EditOne {...props} objectKey={first.key} /> : <EditMany {...props} />;
}

type OneProps = ChangeProps & { readonly objectKey: string };

function EditOne({ selection, objectKey, onClose }: OneProps) {
  const { bucket } = selection;
  const object = useQuery(`object ${bucket} ${objectKey} edit`, (signal) =>
    client.objects.get(bucket, { query: { key: objectKey }, signal }),
  );
  const found = object.data.value;
  if (found !== null) return <OneForm bucket={bucket} object={found} onClose={onClose} />;
  return (
    <Dialog title={t().change.editOne(nameOf(objectKey))} onClose={onClose}>
      {object.error.value === null ? (
        <Skeleton width={280} />
      ) : (
        <Failure error={object.error.value} onRetry={object.reload} />
      )}
    </Dialog>
  );
}

type FormProps = {
  readonly bucket: string;
  readonly object: ObjectDetail;
  readonly onClose: () => void;
};

function OneForm({ bucket, object, onClose }: FormProps) {
  const texts = t().change;
  // What is compared with stays what was read first, until others' change is seen.
  const [base, setBase] = useState(object);
  const [values, setValues] = useState(() => valuesOf(object));
  const [theirs, setTheirs] = useState<Values | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [draft, setDraft] = useState(KEEP_LOCK);
  const lock = lockChangeOf(draft, mayOverrideLocks());
  const change = changeOfOne(valuesOf(base), values);
  const names = namesOf(change);
  const off = whyOff(names, lock);

  async function save(): Promise<void> {
    if (isBusy || off !== null) return;
    setBusy(true);
    setError(null);
    try {
      const query = { key: object.key };
      await client.objects.update(bucket, { query, body: { ...change, ...lock }, ifMatch: base });
      refresh(bucket);
      showToast({ text: texts.edited(nameOf(object.key)) });
      onClose();
    } catch (cause) {
      setError(errorLine(cause));
      if (cause instanceof QuaysideError && cause.status === 412) await readTheirs();
    } finally {
      setBusy(false);
    }
  }

  /** Shows what the object has by now beside what was typed; the next save takes it over. */
  async function readTheirs(): Promise<void> {
    try {
      const now = await client.objects.get(bucket, { query: { key: object.key } });
      setTheirs(valuesOf(now));
      setBase(now);
    } catch (cause) {
      setError(errorLine(cause));
    }
  }

  return (
    <Dialog
      title={texts.editOne(nameOf(object.key))}
      width={620}
      isDirty={names.length > 0 || lock !== null}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={<Actions off={off} isBusy={isBusy} onClose={onClose} label={t().shell.save} />}
    >
      {FIELDS.map((name) => (
        <AttributeField
          key={name}
          name={name}
          value={values[name]}
          now={theirs !== null && theirs[name] !== values[name] ? theirs[name] : null}
          onInput={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      <LockFields bucket={bucket} draft={draft} onChange={setDraft} />
      <Effect names={names} off={off} what={nameOf(object.key)} />
      {error !== null && <InlineError text={error} />}
    </Dialog>
  );
}

function EditMany({ selection, onClose }: ChangeProps) {
  const texts = t().change;
  const { bucket, rows, isAll, prefix } = selection;
  const [values, setValues] = useState<Values>(EMPTY);
  const [on, setOn] = useState<ReadonlySet<FieldName>>(new Set());
  const act = useAct(onClose);
  const change = changeOfMany(values, on);
  const names = namesOf(change);
  const what = isAll ? texts.everythingIn(`${bucket}/${prefix}`) : texts.items(count(rows.length));
  const [draft, setDraft] = useState(KEEP_LOCK);
  const lock = lockChangeOf(draft, mayOverrideLocks());
  const off = whyOff(names, lock);
  const save = () => {
    if (off !== null) return;
    const { retention: _, ...attributes } = change;
    const task = { kind: 'edit', change: { ...attributes, ...lock } } as const;
    act.run(() => runJob(bucket, { ...task, ...jobTargets(selection) }));
  };
  const toggle = (name: FieldName, isOn: boolean) => {
    const next = new Set(on);
    if (isOn) next.add(name);
    else next.delete(name);
    setOn(next);
  };
  return (
    <Dialog
      title={texts.editMany(what)}
      width={620}
      isDirty={on.size > 0 || lock !== null}
      onClose={onClose}
      onSubmit={save}
      actions={
        <Actions off={off} isBusy={act.isBusy} onClose={onClose} label={texts.editNow(what)} />
      }
    >
      <p class="dim">{texts.editManyLead}</p>
      {FIELDS.map((name) => (
        <div key={name} class="edit-row">
          <CheckField
            label={texts.fields[name]}
            checked={on.has(name)}
            onChange={(isOn) => toggle(name, isOn)}
          />
          {on.has(name) && (
            <AttributeField
              name={name}
              value={values[name]}
              now={null}
              isMany
              onInput={(value) => setValues({ ...values, [name]: value })}
            />
          )}
        </div>
      ))}
      <LockFields bucket={bucket} draft={draft} onChange={setDraft} />
      <Effect names={names} off={off} what={what} />
      {act.error !== null && <InlineError text={act.error} />}
    </Dialog>
  );
}

const namesOf = (change: ObjectChange): readonly FieldName[] =>
  FIELDS.filter((name) => change[name] !== undefined);

/** Why there is nothing to save; null: there is. */
function whyOff(names: readonly FieldName[], lock: ReturnType<typeof lockChangeOf>): string | null {
  if (lock === undefined) return t().keys.endMissing;
  return names.length === 0 && lock === null ? t().change.nothingChanged : null;
}

function refresh(bucket: string): void {
  for (const kind of ['object', 'folder']) invalidate(`${kind} ${bucket}`);
}

type ActionsProps = {
  readonly off: string | null;
  readonly isBusy: boolean;
  readonly label: string;
  readonly onClose: () => void;
};

function Actions({ off, isBusy, label, onClose }: ActionsProps) {
  return (
    <CancelOr
      onCancel={onClose}
      kind="primary"
      type="submit"
      icon={SlidersHorizontal}
      label={label}
      off={off}
      isBusy={isBusy}
    />
  );
}

type EffectProps = Pick<ActionsProps, 'off'> & {
  readonly names: readonly FieldName[];
  readonly what: string;
};

function Effect({ names, off, what }: EffectProps) {
  const texts = t().change;
  if (names.length === 0) return off === null ? null : <PlainWords>{off}</PlainWords>;
  const list = names.map((name) => texts.fields[name]).join(', ');
  return (
    <PlainWords {...(names.includes('storageClass') ? { tone: 'open' } : {})}>
      {texts.editEffect(list, what)} {names.includes('storageClass') && texts.classEffect}
    </PlainWords>
  );
}

type AttributeProps = {
  readonly name: FieldName;
  readonly value: string;
  /** What it is by now, when somebody else changed it; null: as it was read. */
  readonly now: string | null;
  readonly isMany?: boolean;
  readonly onInput: (value: string) => void;
};

function AttributeField({ name, value, now, isMany = false, onInput }: AttributeProps) {
  const texts = t().change;
  const id = useId();
  const hint = now === null ? (isMany ? texts.emptyRemoves : null) : texts.isNow(now || '–');
  if (name === 'metadata' || name === 'tags') {
    return (
      <Field label={texts.fields[name]} hint={now === null ? texts.lines : hint}>
        {({ id: own, describedBy }) => (
          <textarea
            id={own}
            class="input mono edit-lines"
            rows={3}
            value={value}
            aria-describedby={describedBy}
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )}
      </Field>
    );
  }
  return (
    <div>
      <TextField label={texts.fields[name]} value={value} onInput={onInput} hint={hint} mono />
      {name === 'cacheControl' && (
        <div class="presets" role="group" aria-labelledby={id}>
          <span id={id} class="faint">
            {texts.presets}
          </span>
          {Object.entries(CACHE_PRESETS).map(([preset, header]) => (
            <button key={preset} type="button" class="link" onClick={() => onInput(header)}>
              {texts.cachePresets[preset as keyof typeof CACHE_PRESETS]}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

// Makes a presigned URL: what it may do, how long, and in words what whoever has it
// can do with it.
import { Copy } from 'lucide';
import { useState } from 'preact/hooks';
import type { UrlRequest } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { may, server } from '../../app/session.ts';
import { endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { setterOf } from '../../ui/draft-setter.ts';
import { Field, SelectField, TextField } from '../../ui/field.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';

const METHODS = ['get', 'head', 'put', 'delete'] as const;
type Method = (typeof METHODS)[number];

/** A URL can do no more than who makes it. */
const mayUse = (method: Method): boolean =>
  method === 'get' || method === 'head' || may('objects:write');

/** Seconds of each unit of the life. */
const UNITS = { minutes: 60, hours: 3600, days: 86_400 } as const;
type Unit = keyof typeof UNITS;
/** Longest life that SigV4 allows, where the server does not say. */
const LIFE_MAX_SECONDS = 7 * 86_400;

type PresignProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly onClose: () => void;
};
type Draft = {
  readonly method: Method;
  readonly amount: string;
  readonly unit: Unit;
  readonly fileName: string;
  readonly contentType: string;
};
const FIRST: Draft = { method: 'get', amount: '1', unit: 'hours', fileName: '', contentType: '' };
type Made = { readonly url: string; readonly endsAt: string; readonly headers: string };

export default function Presign({ bucket, objectKey, onClose }: PresignProps) {
  const texts = t().access.presigned;
  const [draft, setDraft] = useState<Draft>(FIRST);
  const [made, setMade] = useState<Made | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { method, amount, unit } = draft;
  const seconds = Math.round(Number(amount) * UNITS[unit]);
  const most = server.value?.limits.urlSeconds ?? LIFE_MAX_SECONDS;
  const isWrong = !(seconds >= 1 && seconds <= most);

  async function make(): Promise<void> {
    if (isBusy || isWrong) return;
    setBusy(true);
    setError(null);
    try {
      const request = requestOf(draft, objectKey);
      const { items, expiresAt } = await client.objects.presign(bucket, {
        body: { requests: [request], expiresSeconds: seconds },
      });
      const [item] = items;
      if (item === undefined) throw new Error('no URL');
      const headers = Object.entries(item.headers).map(([name, value]) => `${name}: ${value}`);
      setMade({ url: item.url, endsAt: expiresAt, headers: headers.join('\n') });
      await copyText(item.url, texts.copied);
    } catch (cause) {
      setError(errorLine(cause));
    }
    setBusy(false);
  }

  return (
    <Dialog
      title={texts.title(objectKey)}
      width={580}
      onClose={onClose}
      onSubmit={() => void make()}
      actions={
        <>
          <Button kind="secondary" label={t().shell.close} onClick={onClose} />
          <Button
            kind="primary"
            icon={Copy}
            type="submit"
            isBusy={isBusy}
            off={isWrong ? texts.lifeWrong : null}
            label={texts.make}
          />
        </>
      }
    >
      <Fields
        draft={draft}
        isWrong={isWrong}
        onChange={(next) => {
          setMade(null);
          setDraft(next);
        }}
      />
      <PlainWords {...(method === 'get' || method === 'head' ? {} : { tone: 'open' as const })}>
        {texts.effects[method](
          objectKey,
          isWrong ? '…' : endTime(made?.endsAt ?? Date.now() + seconds * 1000),
        )}
      </PlainWords>
      {made !== null && <MadeUrl made={made} />}
      {error !== null && <InlineError text={error} />}
    </Dialog>
  );
}

type FieldsProps = {
  readonly draft: Draft;
  readonly isWrong: boolean;
  readonly onChange: (draft: Draft) => void;
};

function Fields({ draft, isWrong, onChange }: FieldsProps) {
  const texts = t().access.presigned;
  const set = setterOf({ draft, onChange });
  return (
    <>
      <SelectField
        label={texts.may}
        value={draft.method}
        onChange={set('method')}
        options={METHODS.filter(mayUse).map((value) => ({ value, label: texts.methods[value] }))}
      />
      <div class="two-fields">
        <TextField
          label={texts.life}
          type="number"
          min={1}
          value={draft.amount}
          onInput={set('amount')}
          error={isWrong ? texts.lifeWrong : null}
          hint={texts.lifeHint}
        />
        <SelectField
          label={texts.unit}
          value={draft.unit}
          onChange={set('unit')}
          options={(['minutes', 'hours', 'days'] as const).map((value) => ({
            value,
            label: texts.units[value],
          }))}
        />
        {draft.method === 'get' && (
          <TextField
            label={texts.fileName}
            aside={t().units.optional}
            value={draft.fileName}
            onInput={set('fileName')}
            hint={texts.fileNameHint}
          />
        )}
        {draft.method === 'put' && (
          <TextField
            label={texts.contentType}
            aside={t().units.optional}
            value={draft.contentType}
            mono
            onInput={set('contentType')}
            hint={texts.contentTypeHint}
          />
        )}
      </div>
    </>
  );
}

function MadeUrl({ made }: { readonly made: Made }) {
  const texts = t().access.presigned;
  return (
    <Field label={texts.url} hint={made.headers === '' ? undefined : texts.sendHeaders}>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          class="input json"
          rows={4}
          readonly
          value={made.headers === '' ? made.url : `${made.url}\n${made.headers}`}
          aria-describedby={describedBy}
        />
      )}
    </Field>
  );
}

function requestOf({ method, fileName, contentType }: Draft, key: string): UrlRequest {
  if (method === 'get') return { operation: 'get', key, ...(fileName && { fileName }) };
  if (method !== 'put') return { operation: method, key };
  const headers = { 'content-type': contentType };
  return { operation: 'put', key, ...(contentType && { headers }) };
}

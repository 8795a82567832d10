// Makes a presigned URL: what it may do, how long, and in words what whoever has it
// can do with it.
import { Copy } from 'lucide';
import { useState } from 'preact/hooks';
import type { UrlRequest } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { server } from '../../app/session.ts';
import { endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, SelectField, TextField } from '../../ui/field.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';

const METHODS = ['get', 'head', 'put', 'delete'] as const;
type Method = (typeof METHODS)[number];

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
type Made = { readonly url: string; readonly endsAt: string; readonly headers: string };

export default function Presign({ bucket, objectKey, onClose }: PresignProps) {
  const texts = t().access.presigned;
  const [method, setMethod] = useState<Method>('get');
  const [amount, setAmount] = useState('1');
  const [unit, setUnit] = useState<Unit>('hours');
  const [fileName, setFileName] = useState('');
  const [contentType, setContentType] = useState('');
  const [made, setMade] = useState<Made | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const seconds = Math.round(Number(amount) * UNITS[unit]);
  const most = server.value?.limits.urlSeconds ?? LIFE_MAX_SECONDS;
  const isWrong = !(seconds >= 1 && seconds <= most);

  function change<Value>(set: (value: Value) => void): (value: Value) => void {
    return (value) => {
      setMade(null);
      set(value);
    };
  }

  async function make(): Promise<void> {
    if (isBusy || isWrong) return;
    setBusy(true);
    setError(null);
    try {
      const request = requestOf(method, objectKey, fileName, contentType);
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
      <SelectField
        label={texts.may}
        value={method}
        onChange={change(setMethod)}
        options={METHODS.map((value) => ({ value, label: texts.methods[value] }))}
      />
      <div class="two-fields">
        <TextField
          label={texts.life}
          type="number"
          min={1}
          value={amount}
          onInput={change(setAmount)}
          error={isWrong ? texts.lifeWrong : null}
          hint={texts.lifeHint}
        />
        <SelectField
          label={texts.unit}
          value={unit}
          onChange={change(setUnit)}
          options={(['minutes', 'hours', 'days'] as const).map((value) => ({
            value,
            label: texts.units[value],
          }))}
        />
        {method === 'get' && (
          <TextField
            label={texts.fileName}
            aside={t().units.optional}
            value={fileName}
            onInput={change(setFileName)}
            hint={texts.fileNameHint}
          />
        )}
        {method === 'put' && (
          <TextField
            label={texts.contentType}
            aside={t().units.optional}
            value={contentType}
            mono
            onInput={change(setContentType)}
            hint={texts.contentTypeHint}
          />
        )}
      </div>
      <PlainWords {...(method === 'get' || method === 'head' ? {} : { tone: 'open' as const })}>
        {texts.effects[method](
          objectKey,
          isWrong ? '…' : endTime(made?.endsAt ?? Date.now() + seconds * 1000),
        )}
      </PlainWords>
      {made !== null && (
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
      )}
      {error !== null && <InlineError text={error} />}
    </Dialog>
  );
}

function requestOf(method: Method, key: string, fileName: string, contentType: string): UrlRequest {
  if (method === 'get') return { operation: 'get', key, ...(fileName && { fileName }) };
  if (method === 'put') {
    return {
      operation: 'put',
      key,
      ...(contentType && { headers: { 'content-type': contentType } }),
    };
  }
  return { operation: method, key };
}

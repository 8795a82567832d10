// The account: its name, and what it may store.
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { may, me, readSession } from '../../app/session.ts';
import { bytes, count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { TextField } from '../../ui/field.tsx';
import { InlineError, LoadLine } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { Section } from './section.tsx';
import { useSaving } from './use-saving.ts';

export function Account() {
  const id = me.value?.account.id ?? '';
  return (
    <>
      <Name id={id} />
      <Quota id={id} />
    </>
  );
}

function Name({ id }: { readonly id: string }) {
  const texts = t().settings;
  const [name, setName] = useState(me.value?.account.displayName ?? '');
  const saving = useSaving();
  const account = useQuery(`account ${id}`, (signal) =>
    client.request('GET /accounts/{accountId}', { path: { accountId: id }, signal }),
  );
  const isOfSettings = account.data.value?.isOfSettings ?? false;
  const mayName = may('account:write') && !isOfSettings;
  const lead = isOfSettings ? texts.ofSettingsHint : texts.readOnly;
  const save = () =>
    saving.run(async () => {
      await client.request('PATCH /accounts/{accountId}', {
        path: { accountId: id },
        body: { displayName: name.trim() },
        ifMatch: '*',
      });
      await readSession();
      showToast({ text: texts.saved });
    });
  return (
    <Section title={texts.account} {...(mayName ? {} : { lead })}>
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label={texts.accountName}
          value={name}
          onInput={setName}
          readonly={!mayName}
          maxLength={128}
          required
        />
        <CopyField label={texts.accountId} value={id} />
        {saving.error !== null && <InlineError text={saving.error} />}
        {mayName && (
          <Button type="submit" kind="secondary" label={t().shell.save} isBusy={saving.isBusy} />
        )}
      </form>
    </Section>
  );
}

function Quota({ id }: { readonly id: string }) {
  const texts = t().settings;
  const quota = useQuery(`quota ${id}`, (signal) =>
    client.request('GET /accounts/{accountId}/quota', { path: { accountId: id }, signal }),
  );
  const found = quota.data.value;
  const limitBytes = found?.bytes ?? null;
  const limitObjects = found?.objects ?? null;
  return (
    <Section title={texts.quota} lead={texts.quotaLead}>
      <Waiting of={quota} />
      {found !== null && (
        <div class="settings-form">
          <p>
            {texts.stored(bytes(found.stored.bytes), count(found.stored.objects))}{' '}
            {!found.stored.isComplete && texts.ofFirst}
          </p>
          {limitBytes !== null && (
            <LoadLine
              label={texts.quota}
              now={Number(found.stored.bytes) / Math.max(1, Number(limitBytes))}
              hasLimit
            />
          )}
          <p class="dim">
            {limitBytes === null && limitObjects === null && texts.noQuota}
            {limitBytes !== null && texts.bytesLimit(bytes(limitBytes))}{' '}
            {limitObjects !== null && texts.objectsLimit(count(limitObjects))}
          </p>
        </div>
      )}
    </Section>
  );
}

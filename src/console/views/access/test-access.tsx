// Tries a request that nobody has sent: by whom, what, from where; the server decides
// it and names the line.
import { useState } from 'preact/hooks';
import type { Answer, RequestOptions } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';
import { Why } from './readers.tsx';

type Test = RequestOptions<'POST /buckets/{bucket}/access-tests'>['body'];
type Tested = Answer<'POST /buckets/{bucket}/access-tests'>;

const ROLES = ['owner', 'admin', 'member', 'billing', 'reader'] as const;
const ACTIONS = ['read', 'write', 'list', 'delete'] as const;
/** Keys that can be chosen: one page of them. */
const KEYS_MAX = 100;
const STRANGER = 'stranger';

type TestProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly isFolder: boolean;
  readonly onClose: () => void;
};

export default function TestAccess({ bucket, objectKey, isFolder, onClose }: TestProps) {
  const texts = t().access;
  const [as, setAs] = useState<string>(STRANGER);
  const [action, setAction] = useState<Test['action']>('read');
  const [address, setAddress] = useState('');
  const [referer, setReferer] = useState('');
  const [tested, setTested] = useState<Tested | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const keys = useQuery(may('keys:read') ? 'keys to test' : null, (signal) =>
    client.request('GET /access-keys', { query: { limit: KEYS_MAX }, signal }),
  );
  const callers = [
    { value: STRANGER, label: texts.holders.strangers },
    ...ROLES.map((role) => ({ value: `role ${role}`, label: texts.roles[role] })),
    ...(keys.data.value?.items ?? []).map(({ id, name }) => ({
      value: `key ${id}`,
      label: texts.holders.key(name === '' ? id : `${name} (${id})`),
    })),
  ];

  async function test(): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const body: Test = {
        as: callerOf(as),
        action,
        ...(isFolder ? { prefix: objectKey } : { key: objectKey }),
        ...(address === '' ? {} : { address }),
        ...(referer === '' ? {} : { referer }),
      };
      setTested(
        await client.request('POST /buckets/{bucket}/access-tests', { path: { bucket }, body }),
      );
    } catch (cause) {
      setTested(null);
      setError(errorLine(cause));
    }
    setBusy(false);
  }

  return (
    <Dialog
      title={texts.testTitle(`${bucket}/${objectKey}`)}
      onClose={onClose}
      onSubmit={() => void test()}
      actions={
        <>
          <Button kind="secondary" label={t().shell.close} onClick={onClose} />
          <Button kind="primary" type="submit" label={texts.test} isBusy={isBusy} />
        </>
      }
    >
      <div class="two-fields">
        <SelectField label={texts.as} value={as} onChange={setAs} options={callers} />
        <SelectField
          label={texts.action}
          value={action}
          onChange={setAction}
          options={ACTIONS.map((value) => ({ value, label: texts.actions[value] }))}
        />
        <TextField
          label={texts.address}
          aside={t().units.optional}
          value={address}
          mono
          onInput={setAddress}
          hint={texts.addressHint}
        />
        <TextField
          label={texts.referer}
          aside={t().units.optional}
          value={referer}
          mono
          onInput={setReferer}
          hint={texts.refererHint}
        />
      </div>
      <div role="status">{tested !== null && <Decision tested={tested} />}</div>
      {error !== null && <InlineError text={error} />}
    </Dialog>
  );
}

function callerOf(as: string): Test['as'] {
  const [kind, id = ''] = as.split(' ');
  if (kind === 'key') return { accessKeyId: id };
  const role = ROLES.find((one) => one === id);
  return role === undefined ? 'stranger' : { role };
}

function Decision({ tested }: { readonly tested: Tested }) {
  const texts = t().access;
  const open = tested.dependsOn.join(', ');
  return (
    <>
      <PlainWords {...(tested.allowed === 'no' ? { tone: 'lose' as const } : {})}>
        <b>{texts.decisions[tested.allowed]}</b>
        {tested.allowed === 'depends' && open !== '' && ` ${texts.dependsOn(open)}`}
      </PlainWords>
      <Why reason={tested.because} />
      {tested.except !== null && <Why reason={tested.except.because} isRest />}
      {tested.needs !== null && (
        <p class="warn">
          {tested.needs.kind === 'customer-key' ? texts.needsCustomerKey : texts.needsKmsKey}
        </p>
      )}
    </>
  );
}

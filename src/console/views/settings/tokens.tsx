// Bearer tokens of scripts: made with all rights or with those to look, shown once,
// withdrawn.
import { KeyRound, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import type { Item } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { may, me } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { ActDialog, Dialog } from '../../ui/dialog.tsx';
import { RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Note, Time } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { Section } from './section.tsx';

type Token = Item<'GET /tokens'>;
type Rights = 'all' | 'look';
const ENDS = ['30', '90', '365', 'never'] as const;
type End = (typeof ENDS)[number];

/** Tokens that are read at once. */
const PAGE = 100;
const DAY_MS = 86_400_000;

export function Tokens() {
  const texts = t().settings;
  const tokens = useQuery('tokens', (signal) =>
    client.request('GET /tokens', { query: { limit: PAGE }, signal }),
  );
  return (
    <Section
      title={texts.tokens}
      lead={texts.tokensLead}
      action={
        may('tokens:write') && (
          <Button
            kind="secondary"
            icon={Plus}
            label={texts.makeToken}
            onClick={() => openDialog((close) => <MakeToken onClose={close} />)}
          />
        )
      }
    >
      <Waiting of={tokens} />
      {tokens.data.value?.items.length === 0 && <p class="faint">{texts.noTokens}</p>}
      <ul class="rows">
        {tokens.data.value?.items.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </ul>
    </Section>
  );
}

async function withdraw({ id, name }: Token): Promise<void> {
  const texts = t().settings;
  try {
    await client.tokens.delete(id);
    showToast({ text: texts.withdrawn(name) });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('tokens');
}

function TokenRow({ token }: { readonly token: Token }) {
  const texts = t().settings;
  const { name, scopes, expiresAt } = token;
  return (
    <li>
      <Icon of={KeyRound} />
      <span class="two-lines grow">
        <bdi class="cut">{name}</bdi>
        <span class="faint">
          {scopes === null ? texts.allRights : texts.rightsOf(scopes.length)}
        </span>
      </span>
      <span class="faint wide">
        {texts.ends} {expiresAt === null ? texts.never : <Time at={expiresAt} />}
      </span>
      {may('tokens:write') && (
        <button
          type="button"
          class="button secondary"
          aria-label={texts.withdrawToken(name)}
          onClick={() => void withdraw(token)}
        >
          {texts.withdraw}
        </button>
      )}
    </li>
  );
}

function MakeToken({ onClose }: { readonly onClose: () => void }) {
  const texts = t().settings;
  const choices = t().keys.endChoices;
  const [name, setName] = useState('');
  const [rights, setRights] = useState<Rights>('look');
  const [end, setEnd] = useState<End>('90');
  const [token, setToken] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function make(): Promise<void> {
    if (isBusy) return;
    if (name.trim() === '') return setError(texts.tokenNameMissing);
    setBusy(true);
    setError(null);
    try {
      const looks = me.value?.scopes.filter((scope) => scope.endsWith(':read')) ?? [];
      const body = {
        name: name.trim(),
        scopes: rights === 'all' ? null : looks,
        expiresAt:
          end === 'never' ? null : new Date(Date.now() + Number(end) * DAY_MS).toISOString(),
      };
      setToken((await withProof(() => client.tokens.create({ body }))).token);
      invalidate('tokens');
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setBusy(false);
    }
  }

  if (token !== null) {
    return (
      <Dialog
        title={texts.tokenMade}
        isDirty
        onClose={onClose}
        actions={<Button kind="primary" label={texts.understood} onClick={onClose} />}
      >
        <Note>{texts.tokenOnce}</Note>
        <CopyField label={texts.token} value={token} />
      </Dialog>
    );
  }
  return (
    <ActDialog
      title={texts.makeToken}
      isDirty={name !== ''}
      onClose={onClose}
      onSubmit={() => void make()}
      label={texts.makeToken}
      act={{ isBusy }}
    >
      <TextField
        label={texts.tokenName}
        value={name}
        onInput={setName}
        error={error}
        maxLength={128}
        autofocus
      />
      <RadioField<Rights>
        legend={texts.tokenRights}
        name="rights"
        value={rights}
        onChange={setRights}
        options={[
          { value: 'look', label: texts.someRights },
          { value: 'all', label: texts.allRights },
        ]}
      />
      <SelectField<End>
        label={texts.tokenEnd}
        value={end}
        options={ENDS.map((value) => ({ value, label: choices[value] }))}
        onChange={setEnd}
      />
    </ActDialog>
  );
}

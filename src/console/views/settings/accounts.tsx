// Accounts of the server, for the operator, who goes to work in one of them.
import { UserRound } from 'lucide';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { withPart } from '../../app/lazy.tsx';
import { me } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { Section } from './section.tsx';

/** Accounts that are read at once. */
const PAGE = 100;
const operator = () => import('../operator/account.ts');

export default function Accounts() {
  const texts = t().settings;
  const accounts = useQuery('accounts', (signal) =>
    client.request('GET /accounts', { query: { limit: PAGE }, signal }),
  );
  const page = accounts.data.value;
  return (
    <Section title={texts.accounts} lead={texts.accountsLead}>
      <Waiting of={accounts} />
      {page?.items.length === 0 && <p class="faint">{texts.noAccounts}</p>}
      <ul class="rows">
        {page?.items.map((account) => (
          <li key={account.id}>
            <Icon of={UserRound} />
            <span class="two-lines grow">
              <span class="cut">
                <bdi>{account.displayName}</bdi>
                {!account.isEnabled && <span class="tag">{texts.disabledAccount}</span>}
                {account.isOfSettings && (
                  <span class="tag" title={texts.ofSettingsHint}>
                    {texts.ofSettings}
                  </span>
                )}
              </span>
              <span class="faint cut mono">{account.id}</span>
            </span>
            {account.id !== me.value?.account.id && (
              <Button
                kind="secondary"
                label={texts.workIn(account.displayName || account.id)}
                onClick={() => withPart(operator, ({ goToAccount }) => goToAccount(account))}
              />
            )}
          </li>
        ))}
      </ul>
      {page?.nextCursor != null && <p class="faint">{texts.moreAccounts}</p>}
    </Section>
  );
}

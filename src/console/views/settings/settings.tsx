// Settings: sections with one sentence each, by the path: `/settings/members`.
import { useEffect } from 'preact/hooks';
import { lazy } from '../../app/lazy.tsx';
import { hash, href, navigate, path } from '../../app/router.ts';
import { isOperator, may, me } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Account } from './account.tsx';
import { ApiFacts } from './api-facts.tsx';
import { BecomeMember } from './become-member.tsx';
import { Members } from './members.tsx';
import { Sessions } from './sessions.tsx';
import { You } from './you.tsx';

const Audit = lazy(() => import('./audit.tsx'));
const Accounts = lazy(() => import('./accounts.tsx'));

const SECTIONS = ['you', 'sessions', 'members', 'account', 'audit', 'accounts', 'api'] as const;
type SectionId = (typeof SECTIONS)[number];

const pathOf = (id: SectionId) => (id === 'you' ? '/settings' : `/settings/${id}`);

/** What the role does not see is not shown. */
const isSeen = (id: SectionId): boolean => {
  if (id === 'members') return may('members:read');
  if (id === 'accounts') return isOperator.value && may('account:read');
  if (id === 'account') return may('account:read');
  return id !== 'audit' || may('audit:read');
};

const VIEWS = {
  you: You,
  sessions: Sessions,
  members: Members,
  account: Account,
  audit: Audit,
  accounts: Accounts,
  api: ApiFacts,
} as const;

export default function Settings() {
  const texts = t().settings;
  const asked = SECTIONS.find((id) => pathOf(id) === path.value && isSeen(id));
  const shown = asked ?? 'you';
  const View = VIEWS[shown];
  useEffect(() => {
    document.title = `${texts.sections[shown]} · ${t().shell.settings} · Quayside`;
  }, [shown]);
  useEffect(() => {
    if (hash.value !== '#dialog=member' || me.value?.memberId !== null) return;
    openDialog((close) => (
      <BecomeMember
        onClose={() => {
          close();
          navigate(path.value, { replace: true });
        }}
      />
    ));
  }, [hash.value]);

  return (
    <>
      <TopBar>
        <Title>{t().shell.settings}</Title>
      </TopBar>
      <nav class="tabs settings-tabs" aria-label={t().shell.settings}>
        {SECTIONS.filter(isSeen).map((id) => (
          <a key={id} href={href(pathOf(id))} aria-current={id === shown ? 'page' : undefined}>
            {texts.sections[id]}
          </a>
        ))}
      </nav>
      <div class="page">
        <div class="wrap settings">
          <View />
        </div>
      </div>
    </>
  );
}

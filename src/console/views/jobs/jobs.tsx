// Jobs: what runs, what happened, what can be taken back.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Jobs() {
  return (
    <TopBar>
      <Title>{t().shell.jobs}</Title>
    </TopBar>
  );
}

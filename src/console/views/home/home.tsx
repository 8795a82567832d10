// Home: what needs me, what it costs, what grew.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Home() {
  return (
    <TopBar>
      <Title>{t().shell.home}</Title>
    </TopBar>
  );
}

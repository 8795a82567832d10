// Home: what the month costs, what grew, what needs me, what runs. An account
// without buckets sees the first visit instead.
import { useEffect, useState } from 'preact/hooks';
import { lazy } from '../../app/lazy.tsx';
import { useOverview } from '../../app/overview.ts';
import { may, me } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/failure.tsx';
import { Growth } from './growth.tsx';
import { MonthSection } from './month.tsx';
import { NeedsYou } from './needs-you.tsx';
import { RecentPlaces, RunningJobs } from './running.tsx';

/** Has the code of uploads, which an account with buckets does not need here. */
const FirstRun = lazy(() =>
  import('../sign-in/first-run.tsx').then((module) => ({ default: module.FirstRun })),
);

export default function Home() {
  const overview = useOverview();
  const [isSkipped, setSkipped] = useState(false);
  const { data, error, reload } = overview;
  useEffect(() => {
    document.title = `${t().shell.home} · Quayside`;
  }, []);

  const isFirst = data.value?.buckets.count === 0 && may('buckets:write') && !isSkipped;
  if (isFirst) return <FirstRun onSkip={() => setSkipped(true)} />;
  return (
    <>
      <TopBar>
        <Title>{me.value?.account.displayName || t().shell.home}</Title>
      </TopBar>
      {data.value === null && error.value !== null ? (
        <Failure error={error.value} onRetry={reload} />
      ) : (
        <div class="page">
          <div class="home">
            <div class="column">
              <MonthSection overview={data.value} />
              {may('usage:read') && <Growth />}
            </div>
            <div class="column">
              <NeedsYou overview={data.value} />
              <RunningJobs />
              <RecentPlaces />
            </div>
          </div>
        </div>
      )}
    </>
  );
}

// One bucket: its settings on one page of sections, each saved by itself. The address
// names the section: `/b/photos?settings=access`.
import { Ellipsis, FolderOpen } from 'lucide';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { lazy } from '../../app/lazy.tsx';
import { href, objectPath, query, readObjectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { PathUp, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ReadBy, Skeleton } from '../../ui/small.tsx';
import { AccessSection } from './access-section.tsx';
import { openBucketMenu, settingsPath } from './bucket-actions.tsx';
import { type Bucket, READERS, useListed } from './bucket-list.ts';
import { GeneralSection } from './general-section.tsx';
import { ProtectionSection } from './protection-section.tsx';
import { RulesSection } from './rules-section.tsx';
import type { SectionProps } from './setting-form.tsx';

const WebsiteSection = lazy<SectionProps>(() => import('./website/website-section.tsx'));
const DangerSection = lazy<SectionProps>(() => import('./danger-section.tsx'));

const SECTIONS = ['general', 'access', 'protection', 'rules', 'website', 'danger'] as const;
type Section = (typeof SECTIONS)[number];

const COMPONENTS: Readonly<Record<Section, ComponentType<SectionProps>>> = {
  general: GeneralSection,
  access: AccessSection,
  protection: ProtectionSection,
  rules: RulesSection,
  website: WebsiteSection,
  danger: DangerSection,
};

export default function BucketPage() {
  const { bucket: name } = readObjectPath();
  const bucket = useQuery(`bucket ${name} settings`, (signal) =>
    client.request('GET /buckets/{bucket}', { path: { bucket: name }, signal }),
  );
  const { data, error, reload } = bucket;
  useEffect(() => {
    document.title = `${name} · ${t().shell.settings} · Quayside`;
  }, [name]);

  function onSaved(saved: Bucket): void {
    bucket.set(saved);
    invalidate('buckets');
    invalidate(`bucket ${name} listed`);
  }

  return (
    <>
      <TopBar>
        <nav class="path" aria-label={t().browse.path}>
          <PathUp to={objectPath(name, '')} label={name} />
          <a href={href('/buckets')}>{t().shell.buckets}</a>
          <span class="sep">/</span>
          <a href={href(objectPath(name, ''))}>
            <bdi>{name}</bdi>
          </a>
          <span class="sep">/</span>
          <b aria-current="page">{t().shell.settings}</b>
        </nav>
      </TopBar>
      <div class="page" tabIndex={-1}>
        {data.value === null && error.value !== null && (
          <Failure error={error.value} onRetry={reload} />
        )}
        {data.value === null && error.value === null && <Skeleton width={240} />}
        {data.value !== null && <Settings bucket={data.value} onSaved={onSaved} />}
      </div>
    </>
  );
}

function Settings(props: SectionProps) {
  const { bucket } = props;
  const texts = t().buckets;
  const listed = useListed(bucket.name).data.value;
  const chosen = query.value.get('settings');
  const sections = SECTIONS.filter((id) => id !== 'danger' || may('buckets:write'));
  useScrollTo(chosen);
  return (
    <div class="wrap settings-page">
      <div class="page-head">
        <h1 class="cut">
          <bdi>{bucket.name}</bdi>
        </h1>
        <ReadBy readers={READERS[bucket.publicAccess]} />
        <span class="gap" />
        <LinkButton
          kind="secondary"
          icon={FolderOpen}
          label={t().browse.open}
          to={objectPath(bucket.name, '')}
        />
        <Button
          icon={Ellipsis}
          iconOnly
          label={texts.more(bucket.name)}
          onClick={(event) =>
            openBucketMenu(event, listed ?? { name: bucket.name, createdAt: bucket.createdAt })
          }
        />
      </div>
      <nav class="section-list" aria-label={texts.sectionList}>
        {sections.map((id) => (
          <a
            key={id}
            href={href(settingsPath(bucket.name, id))}
            aria-current={id === (chosen ?? 'general') ? 'true' : undefined}
          >
            {texts.sections[id]}
          </a>
        ))}
      </nav>
      <div class="section-bodies">
        {sections.map((id) => {
          const Body = COMPONENTS[id];
          return (
            <section key={id} id={`settings-${id}`} aria-labelledby={`settings-${id}-title`}>
              <h2 id={`settings-${id}-title`} class="section-title" tabIndex={-1}>
                {texts.sections[id]}
              </h2>
              <Body {...props} />
            </section>
          );
        })}
      </div>
    </div>
  );
}

/** What stays above the title of a section that was scrolled to, pixels. */
const SPACE_ABOVE_PX = 16;

/** Shows the section that the address names, whenever it names another one. */
function useScrollTo(chosen: string | null): void {
  const last = useRef<string | null>(null);
  useEffect(() => {
    if (chosen === null || chosen === last.current) return;
    last.current = chosen;
    const title = document.getElementById(`settings-${chosen}-title`);
    const page = title?.closest('.page');
    if (page == null || title == null) return;
    const by = title.getBoundingClientRect().top - page.getBoundingClientRect().top;
    page.scrollBy(0, by - SPACE_ABOVE_PX);
    title.focus({ preventScroll: true });
  }, [chosen]);
}

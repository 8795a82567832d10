// The page of those who are not in yet: a form at the left, what a developer comes
// for at the right, languages below.
import type { ComponentChildren } from 'preact';
import { language } from '../../app/preferences.ts';
import { Mark } from '../../app/side-bar.tsx';
import { t } from '../../i18n/i18n.ts';
import type { SignInOptions } from './credentials.tsx';

type EntryProps = {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly side: ComponentChildren;
  /** Whether it covers the frame of the app, which has the main landmark. */
  readonly isCover?: boolean;
  readonly children: ComponentChildren;
};

export function EntryFrame({ title, lead, side, isCover = false, children }: EntryProps) {
  const Main = isCover ? 'div' : 'main';
  return (
    <div class={isCover ? 'entry cover' : 'entry'}>
      <Main class="entry-form">
        <div class="brand">
          <Mark />
          Quayside
        </div>
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        {children}
      </Main>
      <aside class="entry-side">{side}</aside>
      <nav class="entry-foot" aria-label={t().shell.language}>
        {(['en', 'zh'] as const).map((code) => (
          <button
            key={code}
            type="button"
            class="link"
            lang={code === 'zh' ? 'zh-CN' : 'en'}
            aria-pressed={language.value === code}
            onClick={() => {
              language.value = code;
            }}
          >
            {code === 'zh' ? '简体中文' : 'English'}
          </button>
        ))}
      </nav>
    </div>
  );
}

/** Where S3 clients and programs go. */
export function ServerFacts({ options }: { readonly options: SignInOptions | null }) {
  const texts = t().signIn;
  const endpoint = options?.s3Endpoint ?? location.origin;
  return (
    <dl class="entry-facts">
      <dt>{texts.endpoint}</dt>
      <dd class="mono">{endpoint}</dd>
      <dt>{texts.region}</dt>
      <dd class="mono">{options?.region ?? ''}</dd>
      <dt>{texts.publicFiles}</dt>
      <dd class="mono">{`${endpoint}/bucket/key`}</dd>
      <dt>API</dt>
      <dd>
        <a href="/-/docs" target="_blank" rel="noreferrer">
          {texts.reference}
        </a>
        {' · '}
        <a href="/-/api/openapi.json" target="_blank" rel="noreferrer">
          openapi.json
        </a>
      </dd>
    </dl>
  );
}

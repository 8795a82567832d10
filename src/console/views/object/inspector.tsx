// What is known of an object, beside its content: name, actions, who reads it,
// versions, every detail.
import { Copy, Download, Ellipsis } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { ObjectDetail } from 'quayside/client';
import { lazy } from '../../app/lazy.tsx';
import { query, setQuery } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Bytes, Skeleton, Time } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';
import { extensionOf, kindOf, plainType } from '../viewers/kinds.ts';
import type { ObjectActions } from './actions.tsx';

const Readers = lazy(async () => {
  const { Readers } = await import('../access/readers.tsx');
  return { default: Readers };
});

const Details = lazy(() => import('./details.tsx'));
const Versions = lazy(async () => {
  const { Versions } = await import('./versions.tsx');
  return { default: Versions };
});

type InspectorProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly facts: ObjectDetail | null;
  /** What the viewer found: `5,472 × 3,648`. */
  readonly measure: string | null;
  readonly actions: ObjectActions;
};

/** `JPEG image`, `CSV table`, or the type that is stored. */
export function kindWords(key: string, contentType: string | null): string {
  const kinds: Readonly<Record<string, string>> = t().viewers.kinds;
  const kind = kindOf(key, contentType);
  const words = kind === null ? undefined : kinds[kind];
  if (words === undefined) return plainType(contentType) || t().viewers.kinds.hex;
  const extension = extensionOf(key);
  const isShort = extension.length <= 5 && extension !== nameOf(key).toLowerCase();
  return isShort ? `${extension.replace('jpg', 'jpeg').toUpperCase()} ${words}` : words;
}

export function Inspector({ bucket, objectKey: key, facts, measure, actions }: InspectorProps) {
  const texts = t().object;
  const panel = query.value.get('panel');
  const ref = useRef<HTMLElement>(null);
  const isLoaded = facts !== null;
  useEffect(() => {
    if (panel === null || !isLoaded) return;
    const section = ref.current?.querySelector<HTMLElement>(`[data-panel="${CSS.escape(panel)}"]`);
    section?.scrollIntoView({ block: 'start' });
  }, [panel, isLoaded]);
  return (
    <aside ref={ref} class="inspector is-page" aria-label={texts.inspector}>
      <div class="scroll">
        <div class="title">
          <h1>
            <bdi>{nameOf(key)}</bdi>
          </h1>
          {facts === null ? (
            <Skeleton width={160} />
          ) : (
            <span class="dim">
              {kindWords(key, facts.contentType)}
              {measure !== null && `, ${measure}`} · <Bytes value={facts.size} />
            </span>
          )}
        </div>
        {facts !== null && !facts.isLatest && <OldVersion facts={facts} />}
        <div class="actions">
          <Button
            kind="secondary"
            icon={Copy}
            label={t().browse.copyAs.url}
            keys="C"
            onClick={actions.copyUrl}
          />
          <a
            class="button secondary icon-only"
            href={actions.download}
            download
            aria-label={t().browse.download}
            title={`${t().browse.download} (D)`}
          >
            <Icon of={Download} />
          </a>
          <Button
            kind="secondary"
            icon={Ellipsis}
            iconOnly
            label={t().shell.more}
            onClick={(event) => openMenu(event, t().shell.more, actions.menu())}
          />
        </div>
        {facts !== null && (
          <>
            <section data-panel="readers">
              <h2>{t().browse.whoCanRead}</h2>
              {facts.publicUrl !== null && <span class="public-url mono">{facts.publicUrl}</span>}
              <Readers bucket={bucket} objectKey={key} />
            </section>
            <section data-panel="versions">
              <Versions bucket={bucket} objectKey={key} shown={facts} />
            </section>
            <section data-panel="details">
              <h2>{t().browse.details}</h2>
              <Details bucket={bucket} facts={facts} />
            </section>
          </>
        )}
      </div>
    </aside>
  );
}

function OldVersion({ facts }: { readonly facts: ObjectDetail }) {
  const texts = t().object;
  return (
    <div class="banner">
      <span class="grow">
        {texts.oldVersion} <Time at={facts.lastModified} />
      </span>
      <Button label={texts.toLatest} onClick={() => setQuery({ version: null })} />
    </div>
  );
}

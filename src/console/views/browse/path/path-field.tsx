// The path in the top bar: links, of which the middle becomes `…` where there is no
// room, and rows can be dropped on each. A click on its free part, or P, makes it a
// field.
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { lazy } from '../../../app/lazy.tsx';
import { href, navigate, objectPath } from '../../../app/router.ts';
import { PathUp } from '../../../app/top-bar.tsx';
import { t } from '../../../i18n/i18n.ts';
import { openMenu } from '../../../ui/open-menu.tsx';
import { dropOn } from '../drag-rows.ts';
import { shownName } from '../shown-name.ts';

const PathEditor = lazy(() => import('./path-editor.tsx'), { isOfFolder: true, takesKeys: true });
const isEditing = signal(false);

/** Makes the path a field. */
export const editPath = (): void => {
  isEditing.value = true;
};

type Step = { readonly name: string; readonly key: string };

/** The bucket and the folders of a path, each with the key that it leads to. */
export function stepsOf(bucket: string, path: string): readonly Step[] {
  const steps: Step[] = [{ name: bucket, key: '' }];
  for (let from = 0; from < path.length; ) {
    const slash = path.indexOf('/', from);
    const end = slash === -1 ? path.length : slash + 1;
    const name = slash === -1 ? path.slice(from) : path.slice(from, slash);
    steps.push({
      name: name === '' ? t().browse.noName : shownName(name),
      key: path.slice(0, end),
    });
    from = end;
  }
  return steps;
}

type PathFieldProps = { readonly bucket: string; readonly path: string };

export function PathField({ bucket, path }: PathFieldProps) {
  if (isEditing.value) {
    const close = () => {
      isEditing.value = false;
    };
    return <PathEditor bucket={bucket} path={path} onClose={close} />;
  }
  return <PathLinks key={`${bucket}/${path}`} bucket={bucket} path={path} />;
}

function PathLinks({ bucket, path }: PathFieldProps) {
  const steps = stepsOf(bucket, path);
  const { ref, hidden } = useHiddenSteps(steps.length);
  const last = steps.at(-1);
  const above = steps.at(-2);
  // Bucket and last folder always stay: what is hidden stands behind the first.
  const behind = steps.slice(1, 1 + hidden);
  const links = [...steps.slice(0, 1), ...steps.slice(1 + hidden, -1)].filter(
    (step) => step !== last,
  );
  return (
    <nav
      ref={ref}
      class="path"
      aria-label={t().browse.path}
      onClick={(event) => {
        if (event.target === event.currentTarget) editPath();
      }}
    >
      <PathUp
        to={above === undefined ? '/buckets' : objectPath(bucket, above.key)}
        label={t().browse.up}
      />
      {links.map((step, index) => (
        <>
          <a
            key={step.key}
            href={href(objectPath(bucket, step.key))}
            title={step.name}
            {...dropOn(bucket, step.key)}
          >
            <bdi>{step.name}</bdi>
          </a>
          <span class="sep">/</span>
          {index === 0 && behind.length > 0 && (
            <>
              <button
                type="button"
                class="path-more"
                aria-haspopup="menu"
                aria-label={t().browse.hiddenFolders}
                onClick={(event) =>
                  openMenu(
                    event,
                    t().browse.hiddenFolders,
                    behind.map(({ name, key }) => ({
                      label: name,
                      run: () => navigate(objectPath(bucket, key)),
                    })),
                  )
                }
              >
                …
              </button>
              <span class="sep">/</span>
            </>
          )}
        </>
      ))}
      <b class="cut" aria-current="page" title={last?.name} tabIndex={-1}>
        <bdi>{last?.name}</bdi>
      </b>
    </nav>
  );
}

/** Hides steps one after the other until the rest fit; a new width begins anew. */
function useHiddenSteps(count: number) {
  const ref = useRef<HTMLElement>(null);
  const [hidden, setHidden] = useState(0);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
      setHidden(0);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element !== null && isTooLong(element) && hidden < count - 2) setHidden(hidden + 1);
  }, [hidden, width, count]);
  return { ref, hidden };
}

/** Whether some part of the path is cut: each is cut on its own, by its ellipsis. */
const isTooLong = (element: HTMLElement): boolean =>
  element.scrollWidth > element.clientWidth ||
  [...element.children].some((child) => child.scrollWidth > child.clientWidth + 1);

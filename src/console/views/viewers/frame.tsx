// What all viewers share: the bar above the content, with its left part given by
// the page, and a value that is read for as long as it is shown.
import { type ComponentChildren, createContext, type Ref } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { ObjectFacts } from './shown.ts';

/** What stands at the left of a viewer's bar: back, and the place in the folder. */
export const Lead = createContext<ComponentChildren>(null);
/** Takes facts that only the viewer knows: `5,472 × 3,648`. */
export const Measured = createContext<(facts: ObjectFacts) => void>(() => {});

type FrameProps = {
  readonly tools?: ComponentChildren;
  readonly compact: boolean;
  readonly children: ComponentChildren;
};

export function ViewerFrame({ tools, compact, children }: FrameProps) {
  const lead = useContext(Lead);
  const hasBar = !compact && (lead !== null || tools !== undefined);
  return (
    <div class={compact ? 'viewer compact' : 'viewer'}>
      {hasBar && (
        <div class="tool-bar viewer-bar" role="toolbar">
          {lead}
          <span class="gap" />
          {tools}
        </div>
      )}
      {children}
    </div>
  );
}

export type Loaded<Value> = {
  readonly value: Value | null;
  readonly error: unknown;
  readonly reload: () => void;
};

/** Reads a value again whenever what it depends on changes; a left read is aborted. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<{ value: Value | null; error: unknown }>({
    value: null,
    error: null,
  });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState({ value: null, error: null });
    load(signal).then(
      (value) => {
        if (!signal.aborted) setState({ value, error: null });
      },
      (error: unknown) => {
        if (!signal.aborted) setState({ value: null, error });
      },
    );
    return () => controller.abort();
  }, [...dependencies, tries]);
  return { ...state, reload: () => setTries((count) => count + 1) };
}

type RegionProps = {
  readonly label: string;
  readonly class: string;
  readonly regionRef?: Ref<HTMLDivElement>;
  readonly style?: Readonly<Record<string, string | number>>;
  readonly onScroll?: (element: HTMLDivElement) => void;
  readonly children: ComponentChildren;
};

/** A part that scrolls: the keyboard gets into it, and its arrows scroll. */
export function ScrollRegion(props: RegionProps) {
  const { label, regionRef, style, onScroll, children } = props;
  return (
    <div
      ref={regionRef ?? null}
      class={props.class}
      style={style}
      role="region"
      aria-label={label}
      // Without it no key could scroll here.
      tabIndex={0}
      onKeyDown={(event) => {
        // Arrows walk the folder otherwise.
        if (event.key.startsWith('Arrow')) event.stopPropagation();
      }}
      onScroll={(event) => onScroll?.(event.currentTarget)}
    >
      {children}
    </div>
  );
}

// Snippets as tabs, one a program: its files, and a line to try it.
import { Copy } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { query, setQuery } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { SNIPPET_IDS, type Snippet } from './snippets.ts';

type SnippetsProps = {
  readonly snippets: readonly Snippet[];
  /** Values of one's own, which stand out. */
  readonly marks: readonly string[];
  /** What stands beside the button that copies the trial. */
  readonly children: ComponentChildren;
};

export function Snippets({ snippets, marks, children }: SnippetsProps) {
  const texts = t().keys;
  const id = useId();
  const asked = query.value.get('for');
  const shown = snippets.find((snippet) => snippet.id === asked) ?? snippets[0];
  if (shown === undefined) return null;

  function step(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0 || shown === undefined) return;
    event.preventDefault();
    const at = SNIPPET_IDS.indexOf(shown.id) + by;
    const next = SNIPPET_IDS[(at + SNIPPET_IDS.length) % SNIPPET_IDS.length];
    setQuery({ for: next ?? null });
    document.getElementById(`${id}-${next}`)?.focus();
  }

  return (
    <div class="snippets">
      <div class="tabs" role="tablist" aria-label={texts.programs} onKeyDown={step}>
        {snippets.map((snippet) => (
          <button
            key={snippet.id}
            id={`${id}-${snippet.id}`}
            type="button"
            role="tab"
            aria-selected={snippet.id === shown.id}
            aria-controls={`${id}-panel`}
            tabIndex={snippet.id === shown.id ? 0 : -1}
            onClick={() => setQuery({ for: snippet.id })}
          >
            {snippet.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${shown.id}`}>
        {shown.files.map(({ name, text }) => (
          <Code key={name} title={name} text={text} marks={marks} />
        ))}
        <Code title={texts.tryIt} text={shown.trial} marks={marks}>
          {children}
        </Code>
      </div>
    </div>
  );
}

type CodeProps = {
  readonly title: string;
  readonly text: string;
  readonly marks: readonly string[];
  readonly children?: ComponentChildren;
};

function Code({ title, text, marks, children }: CodeProps) {
  return (
    <>
      <pre class="code" role="group" tabIndex={0} aria-label={title}>
        <span class="c">{`# ${title}\n`}</span>
        {markedParts(text, marks).map(({ part, isMarked }, index) =>
          isMarked ? (
            <span key={index} class="v">
              {part}
            </span>
          ) : (
            part
          ),
        )}
      </pre>
      <div class="code-foot">
        <Button
          kind="secondary"
          icon={Copy}
          label={t().shell.copy}
          onClick={() => void copyText(text)}
        />
        {children}
      </div>
    </>
  );
}

/** Splits a text at the values that stand out in it. */
export function markedParts(text: string, marks: readonly string[]) {
  let parts = [{ part: text, isMarked: false }];
  for (const mark of marks) {
    parts = parts.flatMap((one) => {
      if (one.isMarked || mark === '') return [one];
      return one.part.split(mark).flatMap((part, index) => {
        const plain = { part, isMarked: false };
        return index === 0 ? [plain] : [{ part: mark, isMarked: true }, plain];
      });
    });
  }
  return parts.filter(({ part }) => part !== '');
}

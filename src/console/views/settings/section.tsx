// A section of the settings: a title with one sentence.
import type { ComponentChildren } from 'preact';

type SectionProps = {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** At the right of the title. */
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
};

export function Section({ title, lead, action, children }: SectionProps) {
  return (
    <section class="settings-section" aria-label={title}>
      <div class="settings-head">
        <div class="grow">
          <h2 class="section-title">{title}</h2>
          {lead !== undefined && <p class="dim">{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

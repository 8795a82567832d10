// A page that says one thing: what is the matter, what to do, and a reference for
// whoever is asked. For links that have ended, and for all that is refused.
import type { PageLanguage } from '../../semantics/accept-html.ts';
import { type Child, type Element, h } from './element.ts';
import { FRAME_TEXTS } from './frame-texts.ts';
import { mark } from './icons.ts';

export type Message = {
  readonly title: string;
  readonly advice: Child;
  /** What is said beside: `Ended`, a time. */
  readonly facts: readonly (readonly [term: string, value: Child])[];
  readonly requestId: string;
};

/** The content of a narrow page. It names neither a file nor an owner. */
export function messageContent(message: Message, language: PageLanguage): Element {
  const { reference } = FRAME_TEXTS[language];
  const facts = [...message.facts, [reference, h('code', null, message.requestId)] as const];
  return h(
    'div',
    { class: 'message' },
    mark(),
    h('h1', null, message.title),
    h('p', { class: 'lead' }, message.advice),
    factList(facts),
  );
}

/** Terms with their values, two columns. */
export function factList(facts: Message['facts']): Element {
  return h(
    'dl',
    { class: 'facts' },
    facts.map(([term, value]) => [h('dt', null, term), h('dd', null, value)]),
  );
}

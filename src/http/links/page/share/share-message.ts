// Share links that give nothing now: that have ended, are used up, have not begun, or
// are not for whoever asks. The page names neither files nor their owner.
import type { ShareState } from '../../../../domain/links/share-links.ts';
import type { Child } from '../element.ts';
import { type Message, messageContent } from '../message.ts';
import type { ShareContext } from './share-texts.ts';

export type ClosedState = Exclude<ShareState, 'open' | 'password'>;

/** The content of the page. */
export function closedContent(context: ShareContext, state: ClosedState): Child {
  const { texts, visit } = context;
  const { title, advice } = texts.states[state];
  const facts = timesOf(context);
  return messageContent({ title, advice, facts, requestId: visit.requestId }, visit.language);
}

function timesOf({ view, texts, format }: ShareContext): Message['facts'] {
  const { expiresAt, beginsAt } = view.times;
  if (view.state === 'expired' && expiresAt !== null)
    return [[texts.ended, format.moment(Date.parse(expiresAt))]];
  if (view.state === 'not-yet' && beginsAt !== null)
    return [[texts.begins, format.moment(Date.parse(beginsAt))]];
  return [];
}

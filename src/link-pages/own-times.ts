// Puts times, which the server writes in UTC, into the reader's own zone.
import { findAll } from './find.ts';

/** Rewrites every `time` that says how much of it is shown. */
export function ownTimes(): void {
  const isChinese = document.documentElement.lang.startsWith('zh');
  const tag = isChinese ? 'zh-CN' : 'en-GB';
  const day = { day: 'numeric', month: isChinese ? 'long' : 'short', year: 'numeric' } as const;
  const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false } as const;
  const formats = {
    day: new Intl.DateTimeFormat(tag, day),
    moment: new Intl.DateTimeFormat(tag, { ...day, ...clock }),
  };
  for (const element of findAll<HTMLTimeElement>('time[data-time]')) {
    const at = new Date(element.dateTime);
    const shown = element.dataset.time === 'day' ? 'day' : 'moment';
    element.title = `${element.textContent} · ${element.dateTime}`;
    element.textContent = formats[shown].format(at);
  }
}

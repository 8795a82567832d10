// The page for people whose link leads nowhere: what happened, what to do, and a
// reference for whoever is asked. It has one style sheet inside, no script, and
// names neither a file nor an owner. dead-link.ts says when it is sent.
import { escapeHtml } from '../../core/escape-html.ts';
import type { PageLanguage } from '../semantics/accept-html.ts';

/**
 * Why a link leads nowhere: its time is over or has not come, nothing is there, it
 * is not open to its reader, a part of it is missing, its key was taken away.
 */
export type DeadLinkCause = 'ended' | 'early' | 'missing' | 'closed' | 'broken' | 'withdrawn';

type PageText = { readonly title: string; readonly advice: string };

const ENGLISH: Readonly<Record<DeadLinkCause, PageText>> = {
  ended: {
    title: 'This link has ended',
    advice:
      'It was made for a limited time, and that has passed. ' +
      'Ask whoever sent you the link for a new one.',
  },
  early: {
    title: 'This link does not work yet',
    advice: 'It begins later. Try it again then, or ask whoever sent it to you.',
  },
  missing: {
    title: 'Nothing is here',
    advice:
      'What was here may have been deleted or moved, or the address may have a mistake. ' +
      'Check the address, or ask whoever sent you the link.',
  },
  closed: {
    title: 'This is not open to you',
    advice:
      'What is here is not public. ' +
      'If somebody sent you the link, ask them for one that lets you in.',
  },
  broken: {
    title: 'This link is not complete',
    advice:
      'A part of the address is missing or was changed on the way. ' +
      'Copy the whole link again, or ask whoever sent it for a new one.',
  },
  withdrawn: {
    title: 'This link no longer works',
    advice: 'It was withdrawn. Ask whoever sent you the link for a new one.',
  },
};

const CHINESE: Readonly<Record<DeadLinkCause, PageText>> = {
  ended: {
    title: '此链接已过期',
    advice: '这个链接有使用期限，现已到期。请向发送链接的人索取新的链接。',
  },
  early: {
    title: '此链接尚未生效',
    advice: '这个链接稍后才可使用。请到时再试，或询问发送链接的人。',
  },
  missing: {
    title: '这里没有内容',
    advice: '内容可能已被删除或移动，也可能是地址有误。请检查地址，或询问发送链接的人。',
  },
  closed: {
    title: '您无权访问此内容',
    advice: '此内容未公开。如果是他人发给您的链接，请向对方索取可以访问的链接。',
  },
  broken: {
    title: '此链接不完整',
    advice: '地址缺少一部分或已被更改。请重新复制完整的链接，或向发送链接的人索取新的链接。',
  },
  withdrawn: {
    title: '此链接已失效',
    advice: '这个链接已被撤销。请向发送链接的人索取新的链接。',
  },
};

const TEXTS = { en: ENGLISH, zh: CHINESE } as const;
const LABELS = {
  en: { lang: 'en', ended: 'Ended', reference: 'Reference' },
  zh: { lang: 'zh-CN', ended: '到期时间', reference: '参考编号' },
} as const;

/** The console's design tokens for text on paper, light and dark. */
export const DEAD_LINK_STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#0f2129;--ink-2:#465962;--ink-3:#55676f}
@media(prefers-color-scheme:dark){
:root{--paper:#0f1c21;--ink:#e4edef;--ink-2:#a8b9bf;--ink-3:#97a9b0}}
body{margin:0;background:var(--paper);color:var(--ink);font:.875rem/1.375rem system-ui,
-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Microsoft YaHei UI",
"Noto Sans SC",sans-serif}
main{box-sizing:border-box;max-width:28rem;margin:0 auto;padding:20vh 1.25rem 3rem}
svg{width:30px;height:30px;filter:grayscale(1);opacity:.6}
h1{font-size:1.25rem;line-height:1.75rem;font-weight:600;margin:1.75rem 0 .5rem}
p{margin:0 0 1.25rem;font-size:.9375rem;line-height:1.5rem;color:var(--ink-2)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1rem;margin:0;
font-size:.8125rem}
dt{color:var(--ink-3)}
dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,Menlo,Consolas,"Noto Sans Mono",monospace}
:lang(zh) p,:lang(zh) dl{font-size:1rem}
`;

const MARK =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="3" ' +
  'fill="#ffc629"/><circle cx="9.6" cy="8.9" r="4.4" fill="none" stroke="#0f2129" ' +
  'stroke-width="2.1"/><path d="M3 15.9h14" stroke="#0f2129" stroke-width="2.1"/></svg>';

/** What a page says. `endedAt`: ISO 8601 in UTC; null: nothing ended, or nobody knows. */
export type DeadLinkFacts = {
  readonly cause: DeadLinkCause;
  readonly endedAt: string | null;
  readonly requestId: string;
};

/** The whole page, at most 4 KiB. */
export function deadLinkHtml(facts: DeadLinkFacts, language: PageLanguage): string {
  const { title, advice } = TEXTS[language][facts.cause];
  const { lang, ended, reference } = LABELS[language];
  const end = facts.endedAt === null ? '' : `<dt>${ended}<dd>${timeHtml(facts.endedAt)}\n`;
  return `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${DEAD_LINK_STYLE}</style>
<main>
${MARK}
<h1>${title}</h1>
<p>${advice}</p>
<dl>
${end}<dt>${reference}<dd><code>${escapeHtml(facts.requestId)}</code>
</dl>
</main>
</html>
`;
}

/** To the minute: the page has no script that could know the reader's own time. */
function timeHtml(iso: string): string {
  const text = escapeHtml(iso);
  return `<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

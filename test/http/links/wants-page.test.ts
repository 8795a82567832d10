import { expect, it } from 'vitest';
import { isPreviewAgent, wantsPage } from '../../../src/http/links/wants-page.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const wants = (headers: Record<string, string>, method = 'GET') =>
  wantsPage(makeRequest({ method, target: '/', headers }));

it('a link gives people the page and programs the file', () => {
  expect(wants({ accept: BROWSER, 'sec-fetch-dest': 'document' })).toBe(true);
  expect(wants({ accept: BROWSER })).toBe(true);
  expect(wants({ accept: '*/*', 'user-agent': 'curl/8.5.0' })).toBe(false);
  expect(wants({ 'user-agent': 'Wget/1.21' })).toBe(false);
  expect(wants({ accept: BROWSER, 'sec-fetch-dest': 'image' })).toBe(false);
  expect(wants({ accept: BROWSER, authorization: 'Basic OnNlY3JldA==' })).toBe(false);
});

it.each([
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slackbot 1.0 (+https://api.slack.com/robots)',
  'Twitterbot/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'WhatsApp/2.23.20.0 A',
  'TelegramBot (like TwitterBot)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0)',
])('a link gives the preview of %s the page', (agent) => {
  expect(isPreviewAgent(makeRequest({ target: '/', headers: { 'user-agent': agent } }))).toBe(true);
  expect(wants({ accept: '*/*', 'user-agent': agent })).toBe(true);
});

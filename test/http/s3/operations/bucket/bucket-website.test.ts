import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../kit/responses.ts';
import { createTestSurface, type Sent } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Partial<Sent>) => surface.send({ path: '/site', ...sent });
const website = { query: { website: '' } };
const put = (content: string, sent: Partial<Sent> = {}) =>
  send({
    method: 'PUT',
    ...website,
    body: `<WebsiteConfiguration>${content}</WebsiteConfiguration>`,
    ...sent,
  });

const INDEX = '<IndexDocument><Suffix>index.html</Suffix></IndexDocument>';
const ERROR = '<ErrorDocument><Key>errors/4xx.html</Key></ErrorDocument>';
const rulesOf = (...rules: string[]) =>
  `<RoutingRules>${rules.map((rule) => `<RoutingRule>${rule}</RoutingRule>`).join('')}` +
  '</RoutingRules>';
const to = (redirect: string, condition = '') =>
  `${condition === '' ? '' : `<Condition>${condition}</Condition>`}<Redirect>${redirect}` +
  '</Redirect>';
const RULES = rulesOf(
  to(
    '<HostName>b.example</HostName><HttpRedirectCode>302</HttpRedirectCode>' +
      '<Protocol>https</Protocol><ReplaceKeyPrefixWith>new/</ReplaceKeyPrefixWith>',
    '<HttpErrorCodeReturnedEquals>404</HttpErrorCodeReturnedEquals><KeyPrefixEquals>old/' +
      '</KeyPrefixEquals>',
  ),
  to('<ReplaceKeyWith>a&amp;b.html</ReplaceKeyWith>'),
);
const ALL =
  '<RedirectAllRequestsTo><HostName>b.example</HostName><Protocol>https</Protocol>' +
  '</RedirectAllRequestsTo>';

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT' });
});

describe('the website configuration', () => {
  it.each([
    ['index alone', INDEX],
    ['all of it', INDEX + ERROR + RULES],
    ['a redirect', ALL],
    ['a redirect with the protocol of the visit', ALL.replace('<Protocol>https</Protocol>', '')],
  ])('is given back as it was put: %s', async (_, content) => {
    expect(codeOf(await send(website))).toEqual([404, 'NoSuchWebsiteConfiguration']);
    expect((await put(content)).status).toBe(200);
    const document = (await send(website)).text;
    expect(document).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<WebsiteConfiguration xmlns="http://` +
        `s3.amazonaws.com/doc/2006-03-01/">${content}</WebsiteConfiguration>`,
    );
    expect((await send({ method: 'PUT', ...website, body: document })).status).toBe(200);
    expect((await send({ method: 'DELETE', ...website })).status).toBe(204);
    expect(codeOf(await send(website))).toEqual([404, 'NoSuchWebsiteConfiguration']);
    expect((await send({ method: 'DELETE', ...website })).status).toBe(204);
  });

  it('and the CORS rules leave each other alone', async () => {
    await put(INDEX);
    await send({ method: 'DELETE', query: { cors: '' } });
    expect((await send(website)).status).toBe(200);
  });

  const code = (value: string) => rulesOf(to(`<HttpRedirectCode>${value}</HttpRedirectCode>`));
  const refused: [string, string, unknown[]][] = [
    ['nothing', '', [400, 'InvalidArgument']],
    ['an error document alone', ERROR, [400, 'InvalidArgument']],
    ['an empty suffix', INDEX.replace('index.html', ''), [400, 'InvalidArgument']],
    ['a suffix with a slash', INDEX.replace('index', 'a/index'), [400, 'InvalidArgument']],
    ['an index without suffix', '<IndexDocument/>', [400, 'MalformedXML']],
    ['an empty error key', INDEX + ERROR.replace('errors/4xx.html', ''), [400, 'InvalidArgument']],
    ['a redirect and an index', ALL + INDEX, [400, 'InvalidRequest']],
    ['a redirect to nowhere', '<RedirectAllRequestsTo/>', [400, 'MalformedXML']],
    [
      'a redirect to two lines',
      ALL.replace('b.example', 'b&#13;&#10;x: y'),
      [400, 'InvalidArgument'],
    ],
    ['a redirect by ftp', ALL.replace('https', 'ftp'), [400, 'InvalidRequest']],
    ['no rule', `${INDEX}<RoutingRules/>`, [400, 'MalformedXML']],
    ['a rule to nowhere', INDEX + rulesOf(''), [400, 'MalformedXML']],
    ['an empty redirect', INDEX + rulesOf(to('')), [400, 'MalformedXML']],
    [
      'an empty condition',
      INDEX + rulesOf('<Condition/><Redirect><HostName>b</HostName></Redirect>'),
      [400, 'InvalidRequest'],
    ],
    [
      '51 rules',
      INDEX + rulesOf(...Array(51).fill(to('<HostName>b</HostName>'))),
      [400, 'InvalidRequest'],
    ],
    ['a redirect code of no redirect', INDEX + code('200'), [400, 'InvalidRequest']],
    ['a redirect code of not modified', INDEX + code('304'), [400, 'InvalidRequest']],
    [
      'an error code of success',
      INDEX +
        rulesOf(
          to(
            '<HostName>b</HostName>',
            '<HttpErrorCodeReturnedEquals>200</HttpErrorCodeReturnedEquals>',
          ),
        ),
      [400, 'InvalidRequest'],
    ],
    [
      'two replacements',
      INDEX +
        rulesOf(
          to('<ReplaceKeyWith>a</ReplaceKeyWith><ReplaceKeyPrefixWith>b</ReplaceKeyPrefixWith>'),
        ),
      [400, 'InvalidRequest'],
    ],
    ['an element of its own', `${INDEX}<Index/>`, [400, 'MalformedXML']],
    ['too much', `${INDEX}<!--${' '.repeat(131_072)}-->`, [400, 'MaxMessageLengthExceeded']],
  ];
  it.each(refused)('is not %s', async (_, content, expected) => {
    await put(ALL);
    expect(codeOf(await put(content))).toEqual(expected);
    expect((await send(website)).text).toContain('b.example');
  });

  it('takes 50 rules', async () => {
    expect(
      (await put(INDEX + rulesOf(...Array(50).fill(to('<HostName>b</HostName>'))))).status,
    ).toBe(200);
  });

  it('is the owner’s alone', async () => {
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await put(INDEX, { as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ ...website, as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ method: 'DELETE', ...website, as }))).toEqual([
        403,
        'AccessDenied',
      ]);
    }
  });
});

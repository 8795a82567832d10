import { describe, expect, it } from 'vitest';
import { newLinkId } from '../../../../src/core/links/new-link-ids.ts';
import type { ShareLink, ShareState } from '../../../../src/domain/links/share-links.ts';
import type { ObjectKey } from '../../../../src/domain/nouns.ts';
import {
  describeFile,
  describeShare,
  type ShareVisit,
} from '../../../../src/http/links/share/describe-share.ts';

const NOW_MS = Date.UTC(2026, 10, 23);
const FILE = { name: null, sizeBytes: 3, lastModifiedMs: NOW_MS, contentType: null };

function visitOf(change: Partial<ShareLink> = {}, state: ShareState = 'open'): ShareVisit {
  const id = newLinkId();
  const link: ShareLink = {
    id,
    createdAtMs: NOW_MS,
    revision: 1,
    target: { kind: 'folder', prefix: 'a/' },
    notBeforeMs: NOW_MS + 1000,
    expiresAtMs: NOW_MS + 5000,
    revokedAtMs: null,
    passwordHash: 'a hash',
    passwordRevision: 1,
    limits: { downloads: 10, bytes: null, moneyMicro: null, moneyBytes: null },
    audience: { addresses: null, countries: null },
    page: {
      title: 'A title',
      text: '*Hello*',
      logoKey: 'logo.png' as ObjectKey,
      colour: '#102030',
      mode: 'preview',
      fileName: null,
    },
    note: 'nobody else sees this',
    cutsRunning: false,
    ...change,
  };
  return {
    request: { isSecure: true, host: 'files.example' },
    name: { id, labelId: null },
    link,
    label: null,
    usage: { downloads: 4, bytes: 40 },
    bytesMax: 100,
    state,
    ticket: 'abc.def',
    password: null,
  };
}

describe('a share link', () => {
  it('says what is left, and carries the ticket in its addresses', () => {
    const visit = visitOf();
    const file = describeFile(visit, { ...FILE, path: 'b/ü ?.png' });
    const view = describeShare(visit, { kind: 'file', file, excerpt: null });
    const path = `/-/s/${visit.link.id}`;
    expect(view).toMatchObject({
      state: 'open',
      status: 200,
      link: { path, url: `https://files.example${path}`, ticket: 'abc.def' },
      page: { title: 'A title', logo: `${path}/?logo=1&t=abc.def` },
      left: { downloads: 6, bytes: 60 },
      times: { expiresAt: '2026-11-23T00:00:05.000Z', beginsAt: null },
    });
    expect(file).toMatchObject({
      name: 'ü ?.png',
      pick: 'b/ü ?.png',
      downloadHref: `${path}/b/%C3%BC%20%3F.png?t=abc.def`,
      preview: { kind: 'image', counts: true, href: `${path}/b/%C3%BC%20%3F.png?show=1&t=abc.def` },
    });
    expect(JSON.stringify(view)).not.toMatch(/nobody else|a hash/);
  });

  it.each([
    ['password', 200],
    ['revoked', 410],
    ['expired', 410],
    ['used-up', 410],
    ['not-yet', 404],
    ['not-for-you', 403],
  ] as const)('that is %s tells nothing of itself, with status %i', (state, status) => {
    const visit = visitOf({}, state);
    const file = describeFile(visit, { ...FILE, path: 'secret.txt' });
    const view = describeShare(visit, { kind: 'file', file, excerpt: null });
    expect(view).toMatchObject({ state, status, content: null });
    expect(JSON.stringify(view)).not.toMatch(/secret|title":"|Hello|abc\.def|logo\.png/);
  });

  it('answers a wrong password with 401, and 429 while another must wait', () => {
    const visit = visitOf({}, 'password');
    const statusAfter = (password: ShareVisit['password']) =>
      describeShare({ ...visit, password }, null);
    expect(statusAfter({ wasWrong: true, waitSeconds: null }).status).toBe(401);
    expect(statusAfter({ wasWrong: true, waitSeconds: 60 }).status).toBe(429);
  });

  it('offers what its mode offers', () => {
    const offered = (mode: 'download' | 'view' | 'preview') => {
      const visit = visitOf();
      const link = { ...visit.link, page: { ...visit.link.page, mode } };
      const { downloadHref, preview } = describeFile(
        { ...visit, link },
        { ...FILE, path: 'a.pdf' },
      );
      return [downloadHref !== null, preview !== null];
    };
    expect([offered('preview'), offered('download'), offered('view')]).toEqual([
      [true, true],
      [true, false],
      [false, true],
    ]);
  });

  it('offers to show a PDF that is one by its type too, or of which nobody knows', () => {
    const isOffered = (contentType: string | null) =>
      describeFile(visitOf(), { ...FILE, path: 'a.pdf', contentType }).preview !== null;
    const types = ['application/pdf', 'Application/PDF; x=y', null, 'text/html', 'text/pdf'];
    expect(types.map(isOffered)).toEqual([true, true, true, false, false]);
  });

  it('names files in the query that no path of an address can name', () => {
    const visit = { ...visitOf(), ticket: null };
    const { downloadHref } = describeFile(visit, { ...FILE, path: 'a/../b' });
    expect(downloadHref).toBe(`/-/s/${visit.link.id}?file=a%2F..%2Fb`);
  });
});

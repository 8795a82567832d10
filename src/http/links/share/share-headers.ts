// The headers of files that go out by a share link: a name, nothing that acts for
// the service whose origin they share, and no shared cache that would outlive a
// revoked link. A profile is the same object as long as link and file are, so that
// the headers made of it are made once.
import type { ShareLink } from '../../../domain/links/share-links.ts';
import { CDN_KEEPING_HEADERS, type HeaderProfile } from '../../delivery/header-profile.ts';
import { attachment, inline } from '../../semantics/content-disposition.ts';

/** How a file goes out: as a download, in place, or in place by a browser's PDF viewer. */
export type ShareUse = 'taken' | 'shown' | 'pdf';

export type ShareProfiles = {
  of(link: ShareLink, fileName: string, use: ShareUse): HeaderProfile;
};

/** Profiles kept of one link: of the files of a folder that were asked for lately. */
const PROFILES_OF_LINK_MAX = 256;

/**
 * What all of a link says: source of the sandbox is active-content.ts. HTML that is
 * shown loads nothing from elsewhere either: its address may carry an access ticket,
 * which a stranger's picture would learn as the page that led there.
 */
export const SHARE_HEADERS = {
  'cache-control': 'private, no-cache',
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; " +
    "style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
} as const;

/**
 * What a PDF says that is shown: no sandbox, in which no browser shows one, and no
 * other policy, which Chromium also lays on the page that it makes around its viewer.
 * Its viewer and its scripts have an origin of their own in all browsers, so what is
 * stored acts for nobody: as at path-style addresses, where active-content.ts lets it
 * be, too. What comes with another type by then gets that file's sandbox.
 */
const { 'content-security-policy': _policy, ...PDF_HEADERS } = SHARE_HEADERS;

/** Makes the memo. Cost of a known one: two look-ups. */
export function createShareProfiles(): ShareProfiles {
  const known = new WeakMap<ShareLink, Map<string, HeaderProfile>>();

  return {
    of(link, fileName, use) {
      let profiles = known.get(link);
      if (profiles === undefined) {
        profiles = new Map();
        known.set(link, profiles);
      }
      const name = `${use} ${fileName}`;
      let profile = profiles.get(name);
      if (profile === undefined) {
        if (profiles.size >= PROFILES_OF_LINK_MAX) profiles.clear();
        profile = makeProfile(fileName, use);
        profiles.set(name, profile);
      }
      return profile;
    },
  };
}

function makeProfile(fileName: string, use: ShareUse): HeaderProfile {
  const isShown = use !== 'taken';
  const headers = use === 'pdf' ? PDF_HEADERS : SHARE_HEADERS;
  const disposition = isShown ? inline(fileName) : attachment(fileName);
  return {
    isSharedOrigin: true,
    isSite: isShown,
    rules: null,
    changes: {
      removed: ['expires', ...CDN_KEEPING_HEADERS],
      added: [...Object.entries(headers), ['content-disposition', disposition]],
    },
    vary: ['Accept', 'Authorization', 'Sec-Fetch-Dest', 'User-Agent'],
  };
}

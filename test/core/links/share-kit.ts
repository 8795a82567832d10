// A share link that says nothing of itself, for tests that make links past the JSON API.
import type { ShareInput } from '../../../src/core/links/share/share-input.ts';

/** Whoever changes a link in tests. */
export const NOBODY = { memberId: null, accessKeyId: null } as const;

/** Everybody may have its target, for ever. */
export const SHARE_INPUT: ShareInput = {
  notBeforeMs: null,
  expiresAtMs: null,
  password: null,
  limits: { downloads: null, bytes: null, moneyMicro: null },
  audience: { addresses: null, countries: null },
  page: { title: null, text: null, logoKey: null, colour: null, mode: 'preview', fileName: null },
  note: '',
  cutsRunning: false,
};

// Puts the surface of links together: the surfaces of its kinds, over delivery. Called by app.ts.
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { linkSecret } from '../../core/links/link-secret.ts';
import type { Delivery } from '../delivery/create-delivery.ts';
import { type AnswerLink, createLinkSurface } from './create-links.ts';
import { createDropSurface } from './drop/answer-drop.ts';
import type { LinkParts } from './link-parts.ts';
import { createLinkFiles } from './page/link-files.ts';
import { createSendSharePage } from './page/share/send-share-page.ts';
import { createShareSurface } from './share/answer-share.ts';

/** The settings of links. */
export type LinkSettings = {
  readonly rootSecretKey: string | null;
  /** The one that events name. */
  readonly region: string;
};

/** Makes the surface of all kinds of links. */
export function createLinks(
  core: Core,
  { rootSecretKey, region }: LinkSettings,
  parts: LinkParts & { readonly delivery: Delivery; readonly caps: CapGuard | null },
): AnswerLink {
  const { counter, profiles, countryOf, delivery, caps } = parts;
  const { masterKeys } = core.settings;
  const linkFiles = createLinkFiles(core.ports.consoleFiles);
  return createLinkSurface(core, linkFiles, {
    share: createShareSurface(core, {
      deliverFound: delivery.deliverFound,
      counter,
      profiles,
      caps,
      secret: linkSecret({ rootSecretKey, masterKeys }),
      countryOf,
      sendPage: createSendSharePage(linkFiles),
    }),
    drop: createDropSurface(core, linkFiles, { caps: caps ?? undefined, region }),
  });
}

// Which page of a website a key means, for both doors that show pages. Pure.
import type { WebsiteConfiguration } from '../../../ports/bucket-settings.ts';
import type { Pointer } from '../../../ports/domain.ts';
import { findRoutingRule } from './redirects.ts';

/** What most websites have; looked up at once with the bucket, so that it costs no second look. */
export const USUAL_INDEX = 'index.html';

/** Whether a key stands for the index document in it. */
export function isFolder(key: string): boolean {
  return key === '' || key.endsWith('/');
}

/** What the visitor means by a key. */
export function pageKey(key: string, indexSuffix: string): string {
  return isFolder(key) ? `${key}${indexSuffix}` : key;
}

/**
 * Whether the visitor who asked for `key` simply gets the object of `pointer`, which was found under the usual index
 * suffix: nothing of the website's configuration has another wish.
 */
export function isPlainPage(website: WebsiteConfiguration | null, key: string, pointer: Pointer): boolean {
  return (
    website !== null &&
    website.redirectAllTo === null &&
    (website.indexSuffix === USUAL_INDEX || !isFolder(key)) &&
    pointer.headers.websiteRedirectLocation === undefined &&
    findRoutingRule(website.routingRules, key, null) === null
  );
}

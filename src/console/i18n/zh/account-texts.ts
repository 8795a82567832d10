import { buckets } from './buckets.ts';
import { keys } from './keys.ts';
import { links } from './links.ts';
import { settings } from './settings.ts';
import { trash } from './trash.ts';

export const texts = { buckets, keys, links, settings, trash };

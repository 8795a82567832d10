// Texts of the second load: buckets, keys, members, trash, bills.
import { buckets } from './buckets.ts';
import { keys } from './keys.ts';
import { settings } from './settings.ts';
import { trash } from './trash.ts';
import { usage } from './usage.ts';

export const texts = { buckets, keys, settings, trash, usage };

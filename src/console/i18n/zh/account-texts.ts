import { buckets } from './buckets.ts';
import { keys } from './keys.ts';
import { links } from './links.ts';
import { settings } from './settings.ts';
import { signIn } from './sign-in.ts';

export const texts = { buckets, keys, links, settings, signIn };

import { buckets } from './buckets.ts';
import { keys } from './keys.ts';
import { settings } from './settings.ts';
import { signIn } from './sign-in.ts';

export const texts = { buckets, keys, settings, signIn };

// Texts of buckets, keys, members, the trash and the bill.
import { buckets } from './buckets.ts';
import { keys } from './keys.ts';
import { settings } from './settings.ts';
import { signIn } from './sign-in.ts';
import { trash } from './trash.ts';
import { usage } from './usage.ts';

export const texts = { buckets, keys, settings, signIn, trash, usage };

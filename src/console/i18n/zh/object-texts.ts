import { access } from './access.ts';
import { change } from './change.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { object } from './object.ts';
import { palette } from './palette.ts';
import { signIn } from './sign-in.ts';
import { usage } from './usage.ts';
import { viewers } from './viewers.ts';

export const texts = { access, change, home, jobs, object, palette, signIn, usage, viewers };

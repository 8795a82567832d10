import { browse } from './browse.ts';
import { change } from './change.ts';
import { errors } from './errors.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { palette } from './palette.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { units } from './units.ts';
import { upload } from './upload.ts';

export const texts = { browse, change, errors, home, jobs, palette, shell, signIn, units, upload };

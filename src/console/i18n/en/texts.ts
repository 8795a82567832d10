// The texts that a folder needs, by what they are about. English has the shape of every
// language.
import { browse } from './browse.ts';
import { errors } from './errors.ts';
import { shell } from './shell.ts';
import { units } from './units.ts';
import { upload } from './upload.ts';

export const texts = { browse, errors, shell, units, upload };

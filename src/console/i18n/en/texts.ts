// All texts, by what they are about. English has the shape of every language.
import { access } from './access.ts';
import { browse } from './browse.ts';
import { buckets } from './buckets.ts';
import { change } from './change.ts';
import { errors } from './errors.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { object } from './object.ts';
import { palette } from './palette.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { trash } from './trash.ts';
import { units } from './units.ts';
import { upload } from './upload.ts';
import { usage } from './usage.ts';
import { viewers } from './viewers.ts';

export const texts = {
  access,
  browse,
  buckets,
  change,
  errors,
  home,
  jobs,
  keys,
  object,
  palette,
  settings,
  shell,
  signIn,
  trash,
  units,
  upload,
  usage,
  viewers,
};

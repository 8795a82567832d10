// Texts of objects and what changes them, of home, jobs, the trash, the bill and the palette.
import { access } from './access.ts';
import { change } from './change.ts';
import { home } from './home.ts';
import { jobs } from './jobs.ts';
import { object } from './object.ts';
import { palette } from './palette.ts';
import { trash } from './trash.ts';
import { usage } from './usage.ts';
import { viewers } from './viewers.ts';

export const texts = { access, change, home, jobs, object, palette, trash, usage, viewers };

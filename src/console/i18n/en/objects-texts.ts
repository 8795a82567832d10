// Texts of the second load: objects, viewers, access.
import { access } from './access.ts';
import { object } from './object.ts';
import { viewers } from './viewers.ts';

export const texts = { access, object, viewers };

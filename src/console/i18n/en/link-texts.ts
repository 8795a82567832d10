// Texts of share links and drop links.
import { links } from './links.ts';

export const texts = { links };

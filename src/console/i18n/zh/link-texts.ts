import { links } from './links.ts';

export const texts = { links };

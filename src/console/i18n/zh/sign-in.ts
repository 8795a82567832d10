import type { signIn as English } from '../en/sign-in.ts';

export const signIn: typeof English = {};

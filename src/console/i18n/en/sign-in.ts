// Texts of sign-in.
export const signIn = {};

// Addresses of scripts under the policy of Trusted Types, which refuses texts: only
// files of the console itself pass.

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
};

/** Passes an address of this origin; throws for any other. */
function check(url: string): string {
  if (new URL(url, location.href).origin !== location.origin) {
    throw new TypeError('The console runs its own scripts alone');
  }
  return url;
}

const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
const policy = types?.createPolicy('quayside', { createScriptURL: check });

/** The address as `new Worker` takes it; the platform's types know URLs alone. */
export const scriptUrl = (url: string): URL =>
  (policy?.createScriptURL(url) ?? check(url)) as unknown as URL;

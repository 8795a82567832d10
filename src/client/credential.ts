// Who asks the JSON API: a bearer token, the cookie of a browser that signed in, or
// a session that an access key begins when it is first needed.
import { failureOf } from './read-failure.ts';

export type AccessKeyPair = { readonly id: string; readonly secret: string };

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** What a request of the API carries to say who asks. */
export type CredentialInit = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: 'same-origin';
};

export type Credential = {
  /** What the next request carries; a session is begun for the first of them. */
  init(): Promise<CredentialInit>;
  /** After a 401 to a request that carried `shown`: whether it is worth another attempt. */
  renew(shown: CredentialInit): boolean;
};

type Shown = {
  readonly token?: string | undefined;
  readonly accessKey?: AccessKeyPair | undefined;
};

/**
 * The credential of a client. A token wins over an access key, which wins over a
 * cookie.
 */
export function createCredential(
  fetch: Fetch,
  apiUrl: string,
  { token, accessKey }: Shown,
): Credential {
  if (token !== undefined) {
    return fixed({ headers: { authorization: `Bearer ${token}` } });
  }
  return accessKey === undefined
    ? fixed({ credentials: 'same-origin' })
    : sessionOf(fetch, apiUrl, accessKey);
}

const fixed = (init: CredentialInit): Credential => ({
  init: async () => init,
  renew: () => false,
});

/** Signs in once for all requests, and again when the session has ended. */
function sessionOf(fetch: Fetch, apiUrl: string, { id, secret }: AccessKeyPair): Credential {
  let session: Promise<CredentialInit> | null = null;
  let current: CredentialInit | null = null;

  async function signIn(): Promise<CredentialInit> {
    const response = await fetch(`${apiUrl}/sessions`, {
      method: 'POST',
      // A redirect would take the secret along.
      redirect: 'manual',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ accessKeyId: id, secretAccessKey: secret }),
    });
    if (!response.ok) throw await failureOf(response);
    // A browser keeps the cookie by itself and shows it to no script.
    const cookie = response.headers.get('set-cookie')?.split(';')[0];
    return cookie === undefined ? { credentials: 'same-origin' } : { headers: { cookie } };
  }

  return {
    init() {
      session ??= signIn().then(
        (init) => {
          current = init;
          return init;
        },
        (error: unknown) => {
          session = null;
          throw error;
        },
      );
      return session;
    },
    renew(shown) {
      // Many requests may be refused together; one of them signs in again, for all.
      if (shown === current) session = null;
      return true;
    },
  };
}

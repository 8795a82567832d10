// Who asks the JSON API: a bearer token, the cookie of a browser that signed in, or a session that
// an access key begins when it is first needed.
import { failureOf } from './read-failure.ts';

export type AccessKeyPair = { readonly id: string; readonly secret: string };

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export type Credential = {
  /** What a request of the API carries. */
  init(signal?: AbortSignal): Promise<Pick<RequestInit, 'headers' | 'credentials'>>;
  /** After a 401: whether another attempt may be let in. */
  renew(): boolean;
};

type Shown = {
  readonly token?: string | undefined;
  readonly accessKey?: AccessKeyPair | undefined;
};

/** The credential of a client. A token wins over an access key, which wins over a cookie. */
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

const fixed = (init: Pick<RequestInit, 'headers' | 'credentials'>): Credential => ({
  init: async () => init,
  renew: () => false,
});

/** Signs in once for all requests, and again when the session has ended. */
function sessionOf(fetch: Fetch, apiUrl: string, { id, secret }: AccessKeyPair): Credential {
  let session: Promise<RequestInit> | null = null;

  async function signIn(): Promise<RequestInit> {
    const response = await fetch(`${apiUrl}/sessions`, {
      method: 'POST',
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
      session ??= signIn().catch((error: unknown) => {
        session = null;
        throw error;
      });
      return session;
    },
    renew() {
      const hadSession = session !== null;
      session = null;
      return hadSession;
    },
  };
}

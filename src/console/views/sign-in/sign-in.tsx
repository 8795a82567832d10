// Sign-in: a form at the left, where programs go at the right.
import { useEffect } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { t } from '../../i18n/i18n.ts';
import { InlineError } from '../../ui/small.tsx';
import { Credentials } from './credentials.tsx';
import { enter } from './enter.ts';
import { EntryFrame, ServerFacts } from './entry-frame.tsx';

export const useSignInOptions = () =>
  useQuery('sign-in-options', (signal) => client.request('GET /sign-in-options', { signal }));

export default function SignIn() {
  const texts = t().signIn;
  const options = useSignInOptions().data.value;
  useEffect(() => {
    document.title = `${texts.title} · Quayside`;
  }, []);
  return (
    <EntryFrame
      title={texts.title}
      lead={
        <>
          {texts.to} <b class="medium">{location.host}</b>
        </>
      }
      side={<ServerFacts options={options} />}
    >
      {options?.ways.length === 0 ? (
        <InlineError text={texts.reasons.InsecureTransport} />
      ) : (
        <Credentials options={options} label={texts.title} onEnter={enter} />
      )}
    </EntryFrame>
  );
}

// Asks again who is there, over what is open: the session has ended, or credentials
// are to be changed. Nothing that was typed below is lost.

import { client } from '../../api/client.ts';
import { forgetQueries } from '../../api/query.ts';
import { askedProof } from '../../api/with-proof.ts';
import { me, sessionState } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Credentials, type SignInBody } from './credentials.tsx';
import { enter } from './enter.ts';
import { useSignInOptions } from './sign-in.tsx';

const whoIsHere = () => {
  const accessKeyId = me.value?.accessKeyId ?? null;
  return accessKeyId === null ? 'member' : { accessKeyId };
};

/** Where both dialogs are drawn: once, above every other. */
export default function Again() {
  const asked = askedProof.value;
  if (sessionState.value === 'signed-out' && me.value !== null) return <SessionEnded />;
  return asked === null ? null : <Proof {...asked} />;
}

function SessionEnded() {
  const texts = t().signIn;
  const options = useSignInOptions().data.value;
  function leave(): void {
    me.value = null;
    forgetQueries();
  }
  return (
    <Dialog title={texts.ended} width={420} hasForm onClose={leave}>
      <p class="dim">{texts.endedLead}</p>
      <Credentials options={options} who={whoIsHere()} label={texts.title} onEnter={enter} />
    </Dialog>
  );
}

function Proof(props: { readonly onProved: () => void; readonly onCancel: () => void }) {
  const texts = t().signIn;
  const options = useSignInOptions().data.value;
  async function prove(body: SignInBody): Promise<void> {
    await client.request('POST /sessions/current/proof', { body });
    askedProof.value = null;
    props.onProved();
  }
  function cancel(): void {
    askedProof.value = null;
    props.onCancel();
  }
  return (
    <Dialog title={texts.prove} width={420} hasForm onClose={cancel}>
      <p class="dim">{texts.proveLead}</p>
      <Credentials options={options} who={whoIsHere()} label={texts.goOn} onEnter={prove} />
    </Dialog>
  );
}

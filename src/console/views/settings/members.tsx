// Members: who signs in by a name of their own, with which role; and invitations.
import { Trash2, UserRound } from 'lucide';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { may, me } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../../ui/dialog.tsx';
import { Switch } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useAct } from '../change/use-act.ts';
import { Invitations } from './invitations.tsx';
import { type Member, ROLES, type Role } from './member-words.ts';
import { Section } from './section.tsx';

async function readMembers(signal: AbortSignal): Promise<readonly Member[]> {
  const members: Member[] = [];
  for await (const member of client.members.list({ signal })) members.push(member);
  return members;
}

export function Members() {
  const texts = t().settings;
  const members = useQuery('members', readMembers);
  const items = members.data.value;
  return (
    <>
      <Section
        title={texts.members}
        lead={may('members:write') ? texts.membersLead : texts.readOnly}
      >
        <Waiting of={members} />
        {items?.length === 0 && <p class="faint">{texts.noMembers}</p>}
        <ul class="rows">
          {items?.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </ul>
        <RoleWords />
      </Section>
      <Invitations />
    </>
  );
}

/** What each role may, in words. */
function RoleWords() {
  const { roles, roleWords } = t().settings;
  return (
    <dl class="role-words">
      {ROLES.map((role) => (
        <div key={role}>
          <dt>{roles[role]}</dt>
          <dd class="dim">{roleWords[role]}</dd>
        </div>
      ))}
    </dl>
  );
}

type Change = { readonly role?: Role; readonly isEnabled?: boolean };

/** Changes a member at once; the toast says what it means, and takes it back. */
async function change(member: Member, body: Change, text: string, undo: Change): Promise<void> {
  try {
    await withProof(() => client.members.update(member.id, { body, ifMatch: '*' }));
    showToast({
      text,
      undo: () => void change(member, undo, t().settings.saved, body),
    });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('member');
}

function MemberRow({ member }: { readonly member: Member }) {
  const texts = t().settings;
  const { id, displayName, login, role, isEnabled } = member;
  const isSelf = id === me.value?.memberId;
  const canChange = may('members:write') && !isSelf;
  return (
    <li>
      <Icon of={UserRound} />
      <span class="two-lines grow">
        <span class="cut">
          <bdi>{displayName}</bdi>
          {isSelf && <span class="tag">{texts.you}</span>}
        </span>
        <span class="faint cut mono">{login}</span>
      </span>
      <select
        class="input role-select"
        aria-label={texts.roleOf(displayName)}
        value={role}
        disabled={!canChange}
        onChange={(event) => {
          const next = event.currentTarget.value as Role;
          const text = texts.roleChanged(displayName, texts.roles[next]);
          void change(member, { role: next }, text, { role });
        }}
      >
        {ROLES.map((value) => (
          <option key={value} value={value}>
            {texts.roles[value]}
          </option>
        ))}
      </select>
      <Switch
        label={texts.memberEnabled(displayName)}
        checked={isEnabled}
        disabled={!canChange}
        onChange={(isOn) => {
          const text = isOn ? texts.enabledNow(displayName) : texts.disabled(displayName);
          void change(member, { isEnabled: isOn }, text, { isEnabled });
        }}
      />
      {may('members:write') && (
        <Button
          icon={Trash2}
          iconOnly
          label={texts.deleteMember(displayName)}
          off={isSelf ? texts.you : null}
          onClick={() => openDialog((close) => <DeleteMember member={member} onClose={close} />)}
        />
      )}
    </li>
  );
}

function DeleteMember(props: { readonly member: Member; readonly onClose: () => void }) {
  const { member, onClose } = props;
  const texts = t().settings;
  const act = useAct(onClose);
  const remove = () =>
    act.run(async () => {
      await withProof(() => client.members.delete(member.id));
      invalidate('member');
    });
  return (
    <ActDialog
      title={texts.deleteMember(member.displayName)}
      onClose={onClose}
      kind="danger"
      icon={Trash2}
      label={texts.deleteMember(member.displayName)}
      act={act}
      onSubmit={remove}
    >
      <PlainWords tone="lose">{texts.deleteWords}</PlainWords>
    </ActDialog>
  );
}

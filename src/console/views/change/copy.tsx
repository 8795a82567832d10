// Copies what is selected to another folder, in this bucket or another; no byte moves.
import type { ChangeProps } from './change-props.ts';
import { Relocate } from './relocate.tsx';

export default function Copy(props: ChangeProps) {
  return <Relocate kind="copy" {...props} />;
}

// Moves what is selected to another folder, in this bucket or another.
import type { ChangeProps } from './change-props.ts';
import { Relocate } from './relocate.tsx';

export default function Move(props: ChangeProps) {
  return <Relocate kind="move" {...props} />;
}

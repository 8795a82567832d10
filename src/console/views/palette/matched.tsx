// A text with the part that was searched for in bold.
export function Matched({ text, part }: { readonly text: string; readonly part: string }) {
  const at = part === '' ? -1 : text.toLowerCase().indexOf(part.toLowerCase());
  if (at === -1) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {text.slice(0, at)}
      <b>{text.slice(at, at + part.length)}</b>
      {text.slice(at + part.length)}
    </bdi>
  );
}

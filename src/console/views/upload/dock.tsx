// The upload dock, which stands under every view while something is sent.
export default function Dock() {
  return null;
}

// How long something plays, as players write it.

/** `2:11`, `1:02:03`; of what has no end nothing. */
export function playLength(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown
    .map((part, index) => (index === 0 ? `${part}` : `${part}`.padStart(2, '0')))
    .join(':');
}

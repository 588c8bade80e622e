import { useMemo } from "preact/hooks";
import { Redacted } from "./redacted.tsx";

/** Characters of one block: the browser lays out only the blocks in view. */
const PIECE = 16_384;

/** A text of any length, in mono, as it was sent. */
export function LongText({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => split(text), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keys have to reach it
    <div class="code long" tabIndex={0} role="group" aria-label={label} dir="auto">
      {pieces.map(({ at, piece }) => (
        <span key={at} class="piece">
          <Redacted text={piece} />
        </span>
      ))}
    </div>
  );
}

/** Cut at ends of lines where there are any. */
function split(text: string): { at: number; piece: string }[] {
  const pieces: { at: number; piece: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const newline = text.lastIndexOf("\n", at + PIECE);
    const end = text.length - at <= PIECE ? text.length : newline > at ? newline + 1 : at + PIECE;
    pieces.push({ at, piece: text.slice(at, end) });
    at = end;
  }
  return pieces;
}

import { useMemo } from "preact/hooks";
import { RedactedText } from "./redacted.tsx";

/** Number of characters per block. The browser lays out only the visible blocks. */
const PIECE = 16_384;

/** Text of any length, in a monospaced font, as recorded. */
export function LongText({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => split(text), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keys have to reach it
    <div class="code long" tabIndex={0} role="group" aria-label={label} dir="auto">
      {pieces.map(({ at, piece }) => (
        <span key={at} class="piece">
          <RedactedText text={piece} />
        </span>
      ))}
    </div>
  );
}

/** Splits a text into blocks, at ends of lines if possible. */
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

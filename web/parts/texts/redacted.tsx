import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "../choose/popover.tsx";

/** Mark of a redacted secret: the name of the rule, and the hint. */
const MARK = /\[redacted:([a-z0-9-]{1,40}):([0-9a-f]{4})\]/;

/** Text without marks, or the rule and the hint of a mark. */
export type RedactedPiece = string | { kind: string; hint: string };

/** Splits a text at the marks of redacted secrets. */
export function splitAtMarks(text: string): RedactedPiece[] {
  if (!text.includes("[redacted:")) return [text];
  const parts = text.split(new RegExp(MARK, "g"));
  const pieces: RedactedPiece[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    if (parts[at]) pieces.push(parts[at] as string);
    if (at + 2 < parts.length) pieces.push({ kind: parts[at + 1] ?? "", hint: parts[at + 2] ?? "" });
  }
  return pieces;
}

/** Explains a mark in a sentence. */
export const explainMark = (kind: string): string => `The rule ${kind} redacted this text before it was stored.`;

/** Recorded text. The mark of a redacted secret shows the name of the rule. `plain` renders marks without buttons. */
export const RedactedText = ({ text, plain = false }: { text: string; plain?: boolean }) => (
  <>
    {splitAtMarks(text).map((piece, at) =>
      typeof piece === "string" ? (
        piece
      ) : plain ? (
        <span key={at} class="redacted" title={explainMark(piece.kind)}>
          {piece.kind} <span>{piece.hint}</span>
        </span>
      ) : (
        <Mark key={at} {...piece} />
      ),
    )}
  </>
);

/** Renders recorded text without buttons, for rows. Most texts contain no mark and need no component. */
export const renderPlainRedacted = (text: string) =>
  text.includes("[redacted:") ? <RedactedText text={text} plain /> : text;

function Mark({ kind, hint }: { kind: string; hint: string }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  return (
    <>
      <button
        class="redacted"
        type="button"
        ref={button}
        aria-haspopup="dialog"
        aria-label={`Redacted: ${kind} ${hint}`}
        title={explainMark(kind)}
        onClick={() => setOpen(!open)}
      >
        {kind} <span>{hint}</span>
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label="Redacted text" close={close}>
          <div class="pad">
            <p>{explainMark(kind)} The original text cannot be restored.</p>
            <p class="dim">
              <code>{hint}</code> is a hint. Equal hints probably mean equal secrets.
            </p>
          </div>
        </Popover>
      )}
    </>
  );
}

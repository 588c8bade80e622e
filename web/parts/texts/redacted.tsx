import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "../choose/popover.tsx";

/** Mark that replaces a redacted secret: the name of the rule, and a hint of four hexadecimal digits. */
const MARK = /\[redacted:([a-z0-9-]{1,40}):([0-9a-f]{4})\]/;

/** Piece of a text: either text without marks, or the rule and the hint of one mark. */
export type RedactedTextSegment = string | { kind: string; hint: string };

/** Splits a text at the marks of redacted secrets. */
export function splitAtRedactionMarks(text: string): RedactedTextSegment[] {
  if (!text.includes("[redacted:")) return [text];
  const parts = text.split(new RegExp(MARK, "g"));
  const pieces: RedactedTextSegment[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    if (parts[at]) pieces.push(parts[at] as string);
    if (at + 2 < parts.length) pieces.push({ kind: parts[at + 1] ?? "", hint: parts[at + 2] ?? "" });
  }
  return pieces;
}

/** Explains a mark in a sentence. */
export const explainRedactionMark = (kind: string): string =>
  `The rule ${kind} redacted this text before it was stored.`;

/** Recorded text. The mark of a redacted secret shows the name of the rule. `plain` renders marks without buttons. */
export const RedactedText = ({ text, plain = false }: { text: string; plain?: boolean }) => (
  <>
    {splitAtRedactionMarks(text).map((piece, at) =>
      typeof piece === "string" ? (
        piece
      ) : plain ? (
        <span key={at} class="redacted" title={explainRedactionMark(piece.kind)}>
          {piece.kind} <span>{piece.hint}</span>
        </span>
      ) : (
        <Mark key={at} {...piece} />
      ),
    )}
  </>
);

/**
 * Renders recorded text without buttons, for rows. Returns text without marks unchanged, because most texts contain no
 * mark and need no component.
 */
export const renderPlainRedactedText = (text: string) =>
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
        title={explainRedactionMark(kind)}
        onClick={() => setOpen(!open)}
      >
        {kind} <span>{hint}</span>
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label="Redacted text" close={close}>
          <div class="pad">
            <p>{explainRedactionMark(kind)} The original text cannot be restored.</p>
            <p class="dim">
              <code>{hint}</code> is a hint. Equal hints probably mean equal secrets.
            </p>
          </div>
        </Popover>
      )}
    </>
  );
}

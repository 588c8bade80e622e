import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "../choose/popover.tsx";

/** A mark that stands for a secret: its kind, and the hint. */
const MARK = /\[redacted:([a-z0-9-]{1,40}):([0-9a-f]{4})\]/;

/** A part of a text that is no mark, or the kind and the hint of one. */
export type Piece = string | { kind: string; hint: string };

/** A text, cut at its marks. */
export function piecesOf(text: string): Piece[] {
  if (!text.includes("[redacted:")) return [text];
  const parts = text.split(new RegExp(MARK, "g"));
  const pieces: Piece[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    if (parts[at]) pieces.push(parts[at] as string);
    if (at + 2 < parts.length) pieces.push({ kind: parts[at + 1] ?? "", hint: parts[at + 2] ?? "" });
  }
  return pieces;
}

/** The meaning of a mark, in a sentence. */
export const meaningOf = (kind: string): string => `The rule ${kind} took this out before it was stored.`;

/** Recorded text. In the place of what was taken out stands the rule that did so; `plain` where nothing can be pressed. */
export const Redacted = ({ text, plain = false }: { text: string; plain?: boolean }) => (
  <>
    {piecesOf(text).map((piece, at) =>
      typeof piece === "string" ? (
        piece
      ) : plain ? (
        <span key={at} class="redacted" title={meaningOf(piece.kind)}>
          {piece.kind} <span>{piece.hint}</span>
        </span>
      ) : (
        <Mark key={at} {...piece} />
      ),
    )}
  </>
);

/** The same where nothing can be pressed, as rows show it: most texts have no mark, and need no part of their own. */
export const unpressed = (text: string) => (text.includes("[redacted:") ? <Redacted text={text} plain /> : text);

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
        aria-label={`Taken out: ${kind} ${hint}`}
        title={meaningOf(kind)}
        onClick={() => setOpen(!open)}
      >
        {kind} <span>{hint}</span>
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label="What was taken out" close={close}>
          <div class="pad">
            <p>{meaningOf(kind)} Nobody can bring it back.</p>
            <p class="dim">
              <code>{hint}</code> is a hint: where it is the same, the secret probably is.
            </p>
          </div>
        </Popover>
      )}
    </>
  );
}

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { useFieldOptions, useIssueSearchOptions } from "../choices.tsx";
import { useTeamKeysPattern } from "../team-keys.ts";

interface EditorProps {
  label: string;
  value: string;
  placeholder?: string;
  rows?: number;
  change: (text: string) => void;
  /** Runs on Ctrl Enter. */
  send: () => void;
  leave?: () => void;
  /** True to focus the field when it appears. */
  begins?: boolean;
  field?: { current: HTMLTextAreaElement | null };
}

/** Markdown editor with a preview. `@` suggests users, and the beginning of an identifier suggests issues. */
export function MarkdownEditor({
  label,
  value,
  placeholder,
  rows = 8,
  change,
  send,
  leave,
  begins = false,
  ...props
}: EditorProps) {
  const id = useId();
  const own = useRef<HTMLTextAreaElement>(null);
  const field = props.field ?? own;
  const [preview, setPreview] = useState(false);
  const { offered, at, setAt, begun, forget } = useOffered(value, field);
  const keys = useTeamKeysPattern();
  useLayoutEffect(() => {
    if (begins) field.current?.focus();
  }, []);
  const insert = (text: string) => {
    const element = field.current;
    if (!element || !begun) return;
    // Changes the field synchronously and puts the caret behind the inserted text. Otherwise a letter typed before
    // the next frame would land in another place.
    element.setRangeText(`${text} `, begun.from, begun.to, "end");
    element.focus();
    change(element.value);
    forget();
  };
  const onKey = (event: KeyboardEvent) => {
    const open = offered.length > 0;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
    else if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      setAt((at + (event.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length);
    } else if (open && (event.key === "Enter" || event.key === "Tab")) insert(offered[at]?.text ?? "");
    else if (open && event.key === "Escape") forget();
    else if (event.key === "Escape" && leave) leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="editor">
      <div class="seg" role="group" aria-label={`${label}: write or preview`}>
        <button type="button" aria-pressed={!preview} onClick={() => setPreview(false)}>
          Write
        </button>
        <button type="button" aria-pressed={preview} onClick={() => setPreview(true)}>
          Preview
        </button>
      </div>
      {preview ? (
        <div class="preview">
          {value.trim() ? <Markdown text={value} links issues={keys} /> : <p class="dim">Nothing to preview.</p>}
        </div>
      ) : (
        <textarea
          class="in"
          ref={field}
          aria-label={label}
          aria-autocomplete="list"
          aria-controls={offered.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={offered.length > 0 ? `${id}-${at}` : undefined}
          rows={rows}
          placeholder={placeholder}
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      )}
      {!preview && offered.length > 0 && (
        <div class="offered" role="listbox" id={`${id}-list`} aria-label="Users and issues">
          {offered.map(({ text, name }, n) => (
            <div
              key={text}
              id={`${id}-${n}`}
              class="mi"
              role="option"
              aria-selected={n === at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => insert(text)}
            >
              <bdi class="cut">{name}</bdi>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** Maximum number of suggestions. */
const MOST = 6;

/** Returns the users or issues that match the word before the cursor. */
function useOffered(value: string, field: { current: HTMLTextAreaElement | null }) {
  const [at, setAt] = useState(0);
  const [left, setLeft] = useState("");
  const { people } = useFieldOptions(undefined);
  const { options, find } = useIssueSearchOptions();
  const to = field.current?.selectionStart ?? value.length;
  const [, mark = "", word = ""] = /(?:^|[\s(*_"])(@|#|(?=[A-Z][A-Z0-9]*-))([\w.-]*)$/i.exec(value.slice(0, to)) ?? [];
  const isIssue = mark !== "@" && (mark === "#" || word !== "");
  const wanted = word.toLowerCase();
  useLayoutEffect(() => {
    setAt(0);
    if (isIssue && wanted) find(wanted);
  }, [wanted, isIssue]);
  const key = `${mark}${word}`;
  const begun = key && key !== left ? { from: to - key.length, to } : undefined;
  const found = isIssue
    ? options.map(({ id, name }) => ({ text: id, name }))
    : people
        .filter(({ id, name }) => id && name.toLowerCase().includes(wanted))
        .map(({ name }) => ({ text: `@${name}`, name }));
  const offered = begun && (mark === "@" || word) ? found.slice(0, MOST) : [];
  return { offered, at: Math.min(at, Math.max(0, offered.length - 1)), setAt, begun, forget: () => setLeft(key) };
}

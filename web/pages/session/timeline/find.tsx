import type { RefObject } from "preact";
import { Icon } from "../../../parts/icon.tsx";
import { exact } from "../../../parts/texts/format.ts";
import type { Found } from "./search.ts";

interface FindProps {
  field: RefObject<HTMLInputElement | null>;
  text: string;
  setText: (text: string) => void;
  found: Found | undefined;
  /** Goes to the next match, or to the one before. */
  step: (by: 1 | -1) => void;
}

/** The field to find a text in a session. A long one is read in parts: it says how far that came, and goes on when asked. */
export const Find = ({ field, text, setText, found, step }: FindProps) => (
  <>
    <label class="find short">
      <Icon name="search" class="i-14" />
      <span class="sr">Find in session</span>
      <input
        ref={field}
        placeholder="Find in session"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            setText("");
            field.current?.blur();
          } else if (event.key === "Enter") {
            step(event.shiftKey ? -1 : 1);
          }
        }}
      />
      {found ? <small role="status">{found.count}</small> : <kbd class="only-wide">/</kbd>}
    </label>
    {found?.stopped && <SearchOn {...found.stopped} />}
  </>
);

/** Goes on with a search that stopped before the session's end. */
const SearchOn = ({ at, more }: NonNullable<Found["stopped"]>) =>
  at === undefined ? (
    <button class="btn" type="button" title="The server did not answer" onClick={more}>
      Search again
    </button>
  ) : (
    <button class="btn" type="button" title={`Read up to ${exact(at)}, which is not the end`} onClick={more}>
      Search on from <time dateTime={new Date(at).toISOString()}>{exact(at)}</time>
    </button>
  );

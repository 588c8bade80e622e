import type { RefObject } from "preact";
import { Icon } from "../../../parts/icon.tsx";
import { formatExactTime } from "../../../parts/texts/format.ts";
import type { SearchResult } from "./search.ts";

interface FindProps {
  field: RefObject<HTMLInputElement | null>;
  text: string;
  setText: (text: string) => void;
  found: SearchResult | undefined;
  /** Goes to the next or the previous match. */
  step: (by: 1 | -1) => void;
}

/**
 * Search field of a session. The server searches a long session in parts. The field shows the number of matches so far,
 * and a button that continues a stopped search.
 */
export const SessionSearchField = ({ field, text, setText, found, step }: FindProps) => (
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

/** Button that continues a search which stopped before the end of the session. */
const SearchOn = ({ at, more }: NonNullable<SearchResult["stopped"]>) =>
  at === undefined ? (
    <button class="btn" type="button" title="The server did not respond" onClick={more}>
      Search again
    </button>
  ) : (
    <button
      class="btn"
      type="button"
      title={`Searched up to ${formatExactTime(at)}. The session continues after that time.`}
      onClick={more}
    >
      Continue from <time dateTime={new Date(at).toISOString()}>{formatExactTime(at)}</time>
    </button>
  );

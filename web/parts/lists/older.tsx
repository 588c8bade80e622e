interface OlderProps {
  /** The beginning of the page shown; empty for the newest. */
  cursor: string;
  /** The beginning of the next one, if there is one. */
  next: string | undefined;
  show: (cursor: string) => void;
}

/** Leads through a list that is read a page at a time, the newest first. */
export const Older = ({ cursor, next, show }: OlderProps) => (
  <>
    {cursor && (
      <button class="btn" type="button" onClick={() => show("")}>
        Latest
      </button>
    )}
    {next && (
      <button class="btn" type="button" onClick={() => show(next)}>
        Older
      </button>
    )}
  </>
);

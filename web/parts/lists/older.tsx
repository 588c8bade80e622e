interface OlderProps {
  /** Cursor of the shown page; empty for the newest page. */
  cursor: string;
  /** Cursor of the next page, if any. */
  next: string | undefined;
  show: (cursor: string) => void;
}

/** Buttons that page through a list, newest first. */
export const OlderPages = ({ cursor, next, show }: OlderProps) => (
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

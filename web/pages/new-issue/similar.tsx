import { useEffect, useState } from "preact/hooks";
import { SimilarIssues } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { StateBadge } from "../issues/marks.tsx";

/** Pause in typing, in milliseconds, after which the dialog searches for similar issues. */
const QUIET_MS = 500;
/**
 * Minimum length of a title in characters before the dialog searches for similar issues. Shorter titles are similar to
 * too many issues.
 */
const LEAST_CHARS = 8;

interface SimilarProps {
  title: string;
  /** Called when the user opens one of the issues. */
  leave: () => void;
}

/** Issues with a title similar to the typed title. */
export function SimilarIssuesHint({ title, leave }: SimilarProps) {
  const [settled, settle] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => settle(title.trim()), QUIET_MS);
    return () => clearTimeout(timer);
  }, [title]);
  return settled.length < LEAST_CHARS ? null : <Found title={settled} leave={leave} />;
}

function Found({ title, leave }: SimilarProps) {
  const { data } = useQuery(SimilarIssues, { title });
  const issues = data?.similarIssues.nodes ?? [];
  if (issues.length === 0) return null;
  return (
    <section class="similar" aria-label="Similar issues">
      <h3>Similar issues</h3>
      <ul>
        {issues.map(({ id, identifier, title: other, url, state }) => (
          <li key={id}>
            <StateBadge state={state} />
            <a href={new URL(url).pathname} onClick={leave}>
              <span class="mono">{identifier}</span> {other}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

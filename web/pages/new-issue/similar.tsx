import { useEffect, useState } from "preact/hooks";
import { SimilarIssues } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { StateMark } from "../issues/marks.tsx";

/** Asked once nobody has typed for so long. */
const QUIET_MS = 500;
/** A shorter title is like too many others. */
const LEAST_CHARS = 8;

interface SimilarProps {
  title: string;
  /** Called when one of them is opened. */
  leave: () => void;
}

/** Issues that may be about the same as one of that title. */
export function Similar({ title, leave }: SimilarProps) {
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
            <StateMark state={state} />
            <a href={new URL(url).pathname} onClick={leave}>
              <span class="mono">{identifier}</span> {other}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

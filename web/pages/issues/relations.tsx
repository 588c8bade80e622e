import type { IssueData } from "./issue.tsx";
import { isOver, StateMark } from "./marks.tsx";
import { pathOf } from "./path.ts";

type Other = IssueData["relations"]["nodes"][number]["relatedIssue"];

/** The other issue's part in a relation, by type: first where this issue holds the relation, then where the other does. */
const WORDS: Record<string, [from: string, to: string]> = {
  blocks: ["blocked by this", "blocks this"],
  duplicate: ["original", "duplicate"],
  related: ["related", "related"],
  similar: ["similar", "similar"],
  discovered: ["found while working on it", "found here"],
};

/** The issues that this one waits for, holds up, or has to do with otherwise. */
export function Relations({ issue: { relations, inverseRelations } }: { issue: IssueData }) {
  const to = inverseRelations.nodes.map(({ id, type, issue }) => ({ id, type, words: WORDS[type]?.[1], issue }));
  const from = relations.nodes.map(({ id, type, relatedIssue }) => ({
    id,
    type,
    words: WORDS[type]?.[0],
    issue: relatedIssue,
  }));
  const open = to.filter(({ type, issue }) => type === "blocks" && !isOver(issue.state.type)).length;
  const all = [...to, ...from];
  if (all.length === 0) return null;
  return (
    <section class="sec" aria-labelledby="relations">
      <header>
        <h2 id="relations">Relations</h2>
        {open > 0 && <span class="dim">waits for {open}</span>}
      </header>
      <ul class="links">
        {all.map(({ id, type, words, issue }) => (
          <One key={id} words={words ?? type} issue={issue} />
        ))}
      </ul>
    </section>
  );
}

const One = ({ words, issue: { identifier, title, url, state } }: { words: string; issue: Other }) => (
  <li>
    <StateMark state={state} />
    <code class="dim">{identifier}</code>
    <a class="cut grow" href={pathOf(url)} title={title}>
      <bdi>{title}</bdi>
    </a>
    <span class="badge">{words}</span>
  </li>
);

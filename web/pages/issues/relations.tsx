import { useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import { RelateIssues, UnrelateIssues } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { OptionPicker } from "../../parts/choose/picker.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { useIssueSearchOptions } from "./choices.tsx";
import type { IssueData } from "./issue.tsx";
import { isClosedStateType, StateBadge } from "./marks.tsx";
import { toAppPath } from "./path.ts";

type Other = IssueData["relations"]["nodes"][number]["relatedIssue"];

/**
 * Labels of the other issue in a relation, by type of the relation. The first label applies if this issue is the
 * relation's `issue`, the second label if this issue is the relation's `relatedIssue`.
 */
const WORDS: Record<string, [from: string, to: string]> = {
  blocks: ["blocked by this", "blocks this"],
  duplicate: ["original", "duplicate"],
  related: ["related", "related"],
  similar: ["similar", "similar"],
  discovered: ["led to this", "found while working on this"],
};

/**
 * Relations that the user can create. If `turned` is true, the other issue becomes the relation's `issue`, and this
 * issue becomes the `relatedIssue`.
 */
const RELATION_KINDS = {
  blocked: { name: "Blocked by…", type: "blocks", turned: true },
  blocks: { name: "Blocks…", type: "blocks", turned: false },
  related: { name: "Related to…", type: "related", turned: false },
  duplicate: { name: "Duplicate of…", type: "duplicate", turned: false },
  discovered: { name: "Found while working on…", type: "discovered", turned: false },
} as const;

interface RelationsProps {
  issue: IssueData;
  reload: () => Promise<void>;
}

/** Section of the issues that are related to this issue, such as blockers. */
export function IssueRelations({ issue, reload }: RelationsProps) {
  const { relations, inverseRelations } = issue;
  const { busy, error, send } = useRequest();
  const to = inverseRelations.nodes.map(({ id, type, issue: other }) => ({
    id,
    type,
    words: getOwnProperty(WORDS, type)?.[1],
    other,
  }));
  const from = relations.nodes.map(({ id, type, relatedIssue }) => ({
    id,
    type,
    words: getOwnProperty(WORDS, type)?.[0],
    other: relatedIssue,
  }));
  const open = to.filter(({ type, other }) => type === "blocks" && !isClosedStateType(other.state.type)).length;
  const all = [...to, ...from];
  return (
    <section class="sec" aria-labelledby="relations">
      <header>
        <h2 id="relations">Relations</h2>
        {open > 0 && <span class="dim">blocked by {open}</span>}
        <NewRelation issue={issue} add={(work) => send(work.then(reload))} />
      </header>
      <ErrorNote words={error} />
      {all.length > 0 && (
        <ul class="links">
          {all.map(({ id, type, words, other }) => (
            <One
              key={id}
              words={words ?? type}
              issue={other}
              busy={busy}
              remove={() => send(requestGraphQL(UnrelateIssues, { id }).then(reload))}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface OneProps {
  words: string;
  issue: Other;
  busy: boolean;
  remove: () => void;
}

const One = ({ words, issue: { identifier, title, url, state }, busy, remove }: OneProps) => (
  <li>
    <StateBadge state={state} />
    <code class="dim">{identifier}</code>
    <a class="cut grow" href={toAppPath(url)} title={title}>
      <bdi>{title}</bdi>
    </a>
    <span class="badge">{words}</span>
    <button
      class="btn quiet sq"
      type="button"
      aria-label={`Remove the relation to ${identifier}`}
      disabled={busy}
      onClick={remove}
    >
      <Icon name="x" class="i-14" />
    </button>
  </li>
);

/** Form in two steps: the type of the relation, then the other issue. */
function NewRelation({ issue, add }: { issue: IssueData; add: (work: Promise<unknown>) => void }) {
  const [kind, setKind] = useState<keyof typeof RELATION_KINDS>("blocked");
  const { options, find } = useIssueSearchOptions(issue.identifier);
  useKeyboardShortcuts({ r: () => document.getElementById("relation-kind")?.querySelector("button")?.click() });
  const { name, type, turned } = RELATION_KINDS[kind];
  const relate = (other: string) => {
    const [issueId, relatedIssueId] = turned ? [other, issue.id] : [issue.id, other];
    add(requestGraphQL(RelateIssues, { input: { type, issueId, relatedIssueId } }));
  };
  return (
    <span class="row to-right" id="relation-kind">
      <OptionPicker
        label="Relation"
        class="btn quiet"
        value={name}
        options={Object.entries(RELATION_KINDS).map(([id, each]) => ({ id, name: each.name }))}
        chosen={[kind]}
        choose={(id) => setKind(id as keyof typeof RELATION_KINDS)}
      >
        {name}
        <Icon name="down" class="i-14" />
      </OptionPicker>
      <OptionPicker
        label="Add relation"
        class="btn quiet"
        value=""
        options={options}
        find={find}
        chosen={[]}
        choose={relate}
      >
        <Icon name="plus" class="i-14" />
        <span class="sr">Add relation</span>
      </OptionPicker>
    </span>
  );
}

import { type IssueFilter, ProofVerdicts } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { TrackerIcon } from "../../../parts/drawings.tsx";
import { ErrorNote } from "../../../parts/states.tsx";
import { VERDICT_STYLES } from "../../issues/marks.tsx";

const SINCE = "-P30D";
const NAMES = ["verified", "unproven", "contradicted"] as const;

/**
 * Number of a team's issues with each verdict in the last 30 days, with links to the issues. The numbers include issues
 * that a user completed without proof.
 */
export function TeamVerdicts({ team: { id, key } }: { team: { id: string; key: string } }) {
  const judged = (proof: IssueFilter["proof"]): IssueFilter => ({
    team: { id: { eq: id } },
    proof: { ...proof, updatedAt: { gte: SINCE } },
  });
  const { data, error } = useQuery(ProofVerdicts, {
    verified: judged({ verdict: { eq: "verified" } }),
    unproven: judged({ verdict: { eq: "unproven" } }),
    contradicted: judged({ verdict: { eq: "contradicted" } }),
    overridden: judged({ overriddenBy: { null: false } }),
  });
  if (!data) return <ErrorNote words={error?.message ?? ""} />;
  return (
    <p class="verdicts hint">
      Last 30 days:
      {NAMES.map((name) => (
        <a
          key={name}
          href={`/issues?${new URLSearchParams({ team: key, state: "closed", closed: "30d", proof: name })}`}
        >
          <TrackerIcon name={name} class={VERDICT_STYLES[name].color} />
          {data[name].count.toLocaleString()} {name}
        </a>
      ))}
      {data.overridden.count > 0 && (
        <span>{data.overridden.count.toLocaleString()} completed without proof by a user</span>
      )}
    </p>
  );
}

import { type IssueFilter, ProofVerdicts } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Drawing } from "../../../parts/drawings.tsx";
import { Problem } from "../../../parts/states.tsx";
import { VERDICTS } from "../../issues/marks.tsx";

const SINCE = "-P30D";
const NAMES = ["verified", "unproven", "contradicted"] as const;

/** The verdicts on a team's issues of the last 30 days, each leading to its issues; overridden ones are counted in theirs too. */
export function Verdicts({ team: { id, key } }: { team: { id: string; key: string } }) {
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
  if (!data) return <Problem words={error?.message ?? ""} />;
  return (
    <p class="verdicts hint">
      30 days:
      {NAMES.map((name) => (
        <a
          key={name}
          href={`/issues?${new URLSearchParams({ team: key, state: "closed", closed: "30d", proof: name })}`}
        >
          <Drawing name={name} class={VERDICTS[name].color} />
          {data[name].count.toLocaleString()} {name}
        </a>
      ))}
      {data.overridden.count > 0 && (
        <span>{data.overridden.count.toLocaleString()} completed without, by a person</span>
      )}
    </p>
  );
}

import { IssueSessions } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { formatCost, formatCount, formatPlural } from "../../../parts/texts/format.ts";

/** Cost and tokens of the sessions that are linked to an issue. */
export function IssueCost({ issueId }: { issueId: string }) {
  const { data } = useQuery(IssueSessions, { id: issueId });
  const page = data?.issue.sessionLinks;
  if (!page || page.nodes.length === 0) return null;
  const all = page.nodes.map(({ session }) => session.totals);
  const known = all.filter(({ cost }) => cost !== null);
  const cost = known.reduce((sum, each) => sum + (each.cost ?? 0), 0);
  const tokens = all.reduce((sum, each) => sum + (each.inputTokens ?? 0) + (each.outputTokens ?? 0), 0);
  const computed = known.some(({ costSource }) => costSource === "computed");
  return (
    <section aria-labelledby="cost">
      <h2 id="cost">Cost</h2>
      <dl>
        <dt>Sessions</dt>
        <dd>
          {formatPlural(all.length, "session")}
          {page.pageInfo.hasNextPage && <span class="dim">latest 20</span>}
        </dd>
        <dt>Cost</dt>
        <dd>
          {known.length === 0 ? <span class="dim">unknown</span> : <b>{formatCost(cost)}</b>}
          {computed && <span class="dim">computed</span>}
          {known.length > 0 && known.length < all.length && (
            <span class="dim">cost of {all.length - known.length} unknown</span>
          )}
        </dd>
        {tokens > 0 && (
          <>
            <dt>Tokens</dt>
            <dd>{formatCount(tokens)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

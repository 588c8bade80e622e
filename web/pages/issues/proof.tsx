import { useReloadOnChange } from "../../data/changes.ts";
import { IssueProof } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { CopyButton } from "../../parts/texts/copy.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Age } from "../../parts/time/time.tsx";
import { ProofVerdictBadge } from "./marks.tsx";

/** Sections of an issue: the proof of completion, and the handover for the next holder. */
export function ProofAndHandover({ issueId }: { issueId: string }) {
  const { data, reload } = useQuery(IssueProof, { id: issueId });
  useReloadOnChange(({ type, data: { id } }) => type === "Issue" && id === issueId, reload, issueId);
  const { proof, handover } = data?.issue ?? {};
  return (
    <>
      {proof && (
        <section class="sec" aria-labelledby="proof">
          <header>
            <h2 id="proof">Proof</h2>
            <span class="dim">based on recorded sessions, not on what the agent said</span>
          </header>
          <p class="row">
            <ProofVerdictBadge verdict={proof.verdict} named />
            <span class="dim">
              <Age at={proof.updatedAt} prose />
            </span>
            {proof.overriddenBy && <span class="dim">completed without proof by {proof.overriddenBy.name}</span>}
          </p>
          <p class="wraps">
            <bdi>{proof.reason}</bdi>
          </p>
          {proof.events.length > 0 && (
            <ul class="links">
              {proof.events.map(({ id, primitiveName, session, timestamp }) => (
                <li key={id}>
                  <a class="cut grow mono" href={`/sessions/${session.id}/events/${id}`}>
                    <bdi>{primitiveName}</bdi>
                  </a>
                  <span class="dim">
                    <Age at={timestamp} prose />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      {handover && (
        <section class="sec" aria-labelledby="handover">
          <header>
            <h2 id="handover">Handover</h2>
            <span class="to-right">
              <CopyButton text={handover} label="Copy the handover" />
            </span>
          </header>
          <div class="cmt">
            <Markdown text={handover} />
          </div>
        </section>
      )}
    </>
  );
}

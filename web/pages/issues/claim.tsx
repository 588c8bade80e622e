import { clock, exact } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { now } from "../../parts/time.tsx";
import type { IssueData } from "./issue.tsx";

/** Who holds an issue, in which session, and until when. */
export function Claim({ lease }: { lease: NonNullable<IssueData["lease"]> }) {
  const [from, until] = [Date.parse(lease.grantedAt), Date.parse(lease.expiresAt)];
  const over = until <= now.value;
  return (
    <section aria-labelledby="claim">
      <h2 id="claim">Claim</h2>
      <div class="lease">
        <p class="row">
          <Icon name="lock" class="i-14" />
          <b>
            <bdi>{lease.holder.name}</bdi>
          </b>
          <span class={over ? "badge to-right" : "badge acc to-right"}>{over ? "ran out" : "held"}</span>
        </p>
        <p>
          {lease.sessionId && (
            <>
              in <a href={`/sessions/${lease.sessionId}`}>session {lease.sessionId.slice(0, 8)}</a>,{" "}
            </>
          )}
          since{" "}
          <time dateTime={lease.grantedAt} title={exact(from)}>
            {clock(from)}
          </time>
        </p>
        <p class="mid">
          {over ? "Ran out" : "Runs out"} at{" "}
          <time dateTime={lease.expiresAt} title={exact(until)}>
            {clock(until)}
          </time>
          {over ? "." : " unless it is renewed."}
        </p>
      </div>
    </section>
  );
}

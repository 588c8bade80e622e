import { useRef, useState } from "preact/hooks";
import { ClaimIssue, ReleaseIssue } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { currentLogin } from "../../../data/session.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { formatDuration, formatExactTime, formatTimeOfDay } from "../../../parts/texts/format.ts";
import { currentTime } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { isClosedStateType } from "../marks.tsx";

type Lease = NonNullable<IssueData["lease"]>;

interface ClaimProps {
  issue: IssueData;
  /** Waits for the given request, which changes the issue. Shows an error if the request fails. */
  act: (what: Promise<unknown>) => void;
}

/**
 * Shows the holder, the session and the expiry of the lease. If nobody has claimed an open issue, shows a button that
 * claims the issue. The section has the same height in both cases, so that the controls below do not move when an agent
 * claims or releases the issue.
 */
export function IssueClaimBox({ issue, act }: ClaimProps) {
  const { id, lease } = issue;
  const open = !isClosedStateType(issue.state.type);
  // Keeps the section visible if another user closes the issue while the page is open.
  const had = useRef(false);
  had.current ||= Boolean(lease) || open;
  if (!had.current) return null;
  return (
    <section aria-labelledby="claim">
      <h2 id="claim">Claim</h2>
      {lease ? (
        <div key="held" class="lease">
          <Held lease={lease} />
          <Buttons issue={issue} lease={lease} act={act} />
        </div>
      ) : (
        <div key="free" class="lease free">
          <p>Nobody has claimed this issue.</p>
          {open && (
            <div class="row">
              <button class="btn" type="button" onClick={() => act(requestGraphQL(ClaimIssue, { input: { id } }))}>
                Claim
              </button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}

/**
 * Buttons of a claimed issue. Taking over another user's claim needs a confirmation, because the server then rejects
 * the former holder's writes.
 */
function Buttons({ issue: { id, identifier }, lease, act }: ClaimProps & { lease: Lease }) {
  const [asking, ask] = useState(false);
  const { fence, holder } = lease;
  const takeOver = () => {
    ask(false);
    act(requestGraphQL(ClaimIssue, { input: { id, fence } }));
  };
  return (
    <div class="row">
      {holder.id !== currentLogin.value?.user.id && (
        <button class="btn" type="button" onClick={() => ask(true)}>
          Take over…
        </button>
      )}
      <button class="btn quiet" type="button" onClick={() => act(requestGraphQL(ReleaseIssue, { id, fence }))}>
        Release
      </button>
      {asking && (
        <Dialog title={`Take over ${identifier}?`} close={() => ask(false)}>
          <p>
            <bdi>{holder.name}</bdi> has claimed this issue. If you take over, you become the holder, and Trackway
            rejects later changes that {holder.name} makes under the old claim.
          </p>
          <div class="row to-end">
            <button class="btn" type="button" onClick={() => ask(false)}>
              Cancel
            </button>
            <button class="btn pri" type="button" onClick={takeOver}>
              Take over
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Held({ lease: { holder, sessionId, grantedAt, expiresAt } }: { lease: Lease }) {
  const [from, until] = [Date.parse(grantedAt), Date.parse(expiresAt)];
  const over = until <= currentTime.value;
  return (
    <>
      <p class="row">
        <Icon name="lock" class="i-14" />
        <b class="cut" title={holder.name}>
          <bdi>{holder.name}</bdi>
        </b>
        <span class={over ? "badge to-right" : "badge acc to-right"}>{over ? "expired" : "claimed"}</span>
      </p>
      <p>
        {sessionId && (
          <>
            in <a href={`/sessions/${sessionId}`}>session {sessionId.slice(0, 8)}</a>,{" "}
          </>
        )}
        since{" "}
        <time dateTime={grantedAt} title={formatExactTime(from)}>
          {formatTimeOfDay(from)}
        </time>
      </p>
      {!over && <Left from={from} until={until} />}
      <p class="mid">
        {over ? "Expired" : "Expires"} at{" "}
        <time dateTime={expiresAt} title={formatExactTime(until)}>
          {formatTimeOfDay(until)}
        </time>
        {over ? "." : " unless the holder renews the lease. Others can take over."}
      </p>
    </>
  );
}

/** Remaining time of a lease. */
function Left({ from, until }: { from: number; until: number }) {
  const left = until - Math.max(from, currentTime.value);
  const share = Math.round((100 * left) / Math.max(1, until - from));
  return (
    <div class="row">
      <span
        class="meter"
        role="meter"
        aria-label="Remaining time of the lease"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
        aria-valuetext={formatDuration(left)}
        style={{ "--v": share }}
      >
        <i />
      </span>
      <span class="mono left">{formatDuration(left)}</span>
    </div>
  );
}

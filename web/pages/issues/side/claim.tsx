import { useRef, useState } from "preact/hooks";
import { ClaimIssue, ReleaseIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { session } from "../../../data/session.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { clock, duration, exact } from "../../../parts/texts/format.ts";
import { now } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { isOver } from "../marks.tsx";

type Lease = NonNullable<IssueData["lease"]>;

interface ClaimProps {
  issue: IssueData;
  /** Does something to the issue, and says what went wrong. */
  act: (what: Promise<unknown>) => void;
}

/**
 * The holder of an issue, in which session, and until when; or that it can be claimed. Its box is as high in either case: an
 * agent may come or go while somebody is about to press what stands below.
 */
export function Claim({ issue, act }: ClaimProps) {
  const { id, lease } = issue;
  const open = !isOver(issue.state.type);
  // An issue that is closed meanwhile keeps the box.
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
          <p>Nobody holds it.</p>
          {open && (
            <div class="row">
              <button class="btn" type="button" onClick={() => act(request(ClaimIssue, { input: { id } }))}>
                Claim
              </button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}

/** Whose is another's is taken over only when somebody says so twice: what its holder still writes is refused then. */
function Buttons({ issue: { id, identifier }, lease, act }: ClaimProps & { lease: Lease }) {
  const [asking, ask] = useState(false);
  const { fence, holder } = lease;
  const takeOver = () => {
    ask(false);
    act(request(ClaimIssue, { input: { id, fence } }));
  };
  return (
    <div class="row">
      {holder.id !== session.value?.user.id && (
        <button class="btn" type="button" onClick={() => ask(true)}>
          Take over…
        </button>
      )}
      <button class="btn quiet" type="button" onClick={() => act(request(ReleaseIssue, { id, fence }))}>
        Release
      </button>
      {asking && (
        <Dialog title={`Take over ${identifier}?`} close={() => ask(false)}>
          <p>
            <bdi>{holder.name}</bdi> holds it. You hold it then, and what its holder still writes to it under the claim
            is refused.
          </p>
          <div class="row to-end">
            <button class="btn" type="button" onClick={() => ask(false)}>
              Leave it
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
  const over = until <= now.value;
  return (
    <>
      <p class="row">
        <Icon name="lock" class="i-14" />
        <b class="cut" title={holder.name}>
          <bdi>{holder.name}</bdi>
        </b>
        <span class={over ? "badge to-right" : "badge acc to-right"}>{over ? "ran out" : "held"}</span>
      </p>
      <p>
        {sessionId && (
          <>
            in <a href={`/sessions/${sessionId}`}>session {sessionId.slice(0, 8)}</a>,{" "}
          </>
        )}
        since{" "}
        <time dateTime={grantedAt} title={exact(from)}>
          {clock(from)}
        </time>
      </p>
      {!over && <Left from={from} until={until} />}
      <p class="mid">
        {over ? "Ran out" : "Runs out"} at{" "}
        <time dateTime={expiresAt} title={exact(until)}>
          {clock(until)}
        </time>
        {over ? "." : " unless it is renewed. Others who try are told who holds it."}
      </p>
    </>
  );
}

/** The time left of a lease. */
function Left({ from, until }: { from: number; until: number }) {
  const left = until - Math.max(from, now.value);
  const share = Math.round((100 * left) / Math.max(1, until - from));
  return (
    <div class="row">
      <span
        class="meter"
        role="meter"
        aria-label="What is left of the lease"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
        aria-valuetext={duration(left)}
        style={{ "--v": share }}
      >
        <i />
      </span>
      <span class="mono left">{duration(left)}</span>
    </div>
  );
}

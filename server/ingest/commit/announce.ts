import type { Database } from "../../../db/open.ts";
import type { Sink, Submission } from "./sink.ts";

/** Wraps a sink so that watchers of a session are notified when the sink has stored the session or its events. */
export const withWatcherNotifications = (sink: Sink, { wake }: Pick<Database, "wake">): Sink => ({
  parallelCommits: sink.parallelCommits,
  groupOf: sink.groupOf,
  async commit(submissions) {
    const outcomes = await sink.commit(submissions);
    submissions.forEach((submission, index) => {
      const outcome = outcomes[index];
      if (outcome && "key" in outcome && outcome.key === "valid") announce(submission, wake.touch);
    });
    return outcomes;
  },
});

function announce({ key, session, events }: Submission, touch: Database["wake"]["touch"]): void {
  let last = session?.session_id;
  if (last) touch(key.organizationId, last);
  for (const { session_id } of events) {
    // Events of one session usually arrive in sequence, so comparing with the previous session avoids most repeated
    // notifications.
    if (session_id === last) continue;
    last = session_id;
    touch(key.organizationId, session_id);
  }
}

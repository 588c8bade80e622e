import type { Database } from "../../../db/open.ts";
import type { Sink, Submission } from "./sink.ts";

/** Returns a sink that notifies watchers of each session for which the sink stored a session or events. */
export const withAnnouncements = (sink: Sink, { wake }: Pick<Database, "wake">): Sink => ({
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
    // Events of one session usually arrive in sequence.
    if (session_id === last) continue;
    last = session_id;
    touch(key.organizationId, session_id);
  }
}

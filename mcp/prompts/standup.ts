import type { Prompt } from "./prompt.ts";

/** A summary for a short meeting. */
export const standup: Prompt = {
  name: "standup",
  title: "Standup",
  description: "Summarise what changed in a team lately, what is under way, and what is stuck.",
  arguments: [
    { name: "team", description: "Team key, e.g. ENG", required: true, kind: "team" },
    { name: "since", description: "ISO date or duration back, P1D when left out", required: false },
  ],
  text: ({ team, since = "P1D" }) => `Prepare the standup of team ${team}.

1. list_issues {team: "${team}", updated_since: "${since}", sort: "updated", limit: 50}
2. list_issues {team: "${team}", state: "started"}

Then write at most fifteen lines: what was finished, by whom; what is under way, by whom; what is stuck (started, yet not among the recently changed) or urgent and unassigned. Name issues by identifier. Change nothing.`,
};

import type { Prompt } from "./prompt.ts";

/** Going through what is new in a team. */
export const triage: Prompt = {
  name: "triage",
  title: "Triage a team",
  description: "Go through a team's untriaged issues and propose priority, labels and assignee.",
  arguments: [{ name: "team", description: "Team key, e.g. ENG", required: true, kind: "team" }],
  attached: "team",
  text: ({ team }) => `Triage the issues of team ${team} that wait for it.

1. list_issues {team: "${team}", state: "backlog", assignee: "none"}: these wait.
2. For each, get_issue where the title alone does not tell. Look for duplicates with list_issues {query}.
3. Propose a priority, labels, a state and, where it is obvious, an assignee, in one table, with a reason of a few words. The team's own states, labels and members are below; use no others.
4. Change nothing until I agree. Then update_issue for each, and say what you changed.`,
};

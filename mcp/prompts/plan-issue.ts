import type { Prompt } from "./prompt.ts";

/** From an issue to sub-issues. */
export const planIssue: Prompt = {
  name: "plan_issue",
  title: "Plan an issue",
  description: "Break an issue into sub-issues, and file them once agreed.",
  arguments: [{ name: "issue", description: "Identifier, e.g. ENG-12", required: true, kind: "issue" }],
  attached: "issue",
  text: ({ issue }) => `Plan the work on ${issue}; it is below, with its comments.

1. Say in two sentences what done means, and list what is unclear.
2. Propose two to seven sub-issues, each of a day or less, in order, with a title and what shows that it is done.
3. Wait for my agreement. Then create_issue for each with parent: "${issue}", and create_comment on ${issue} with the plan.`,
};

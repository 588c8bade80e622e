import { COMPLETION } from "../documents/completion.ts";
import { limitSize } from "../results/limit-size.ts";
import { getIssue } from "../tools/get-issue.ts";
import type { ResourceKind } from "./resource.ts";

interface Data {
  issues: { nodes: { identifier: string }[] };
}

/** An issue, as get_issue shows it. */
export const issueResource: ResourceKind = {
  name: "issue",
  title: "Issue",
  description: "An issue with its description, sub-issues and newest comments.",
  variable: "identifier",
  mimeType: "application/json",
  async read(issue, context) {
    return limitSize(await getIssue.handler({ issue }, context)).json;
  },
  /** Text that cannot begin an identifier is searched for in the issues. */
  async complete(typed, { graphql }) {
    const [, key, digits] = /^([a-z][a-z0-9]*)?(?:-(\d*))?$/i.exec(typed) ?? [];
    if (typed !== "" && key === undefined) {
      return identifiers(await graphql<Data>(COMPLETION.search, { term: typed }));
    }
    const comparator = digits === undefined ? { startsWithIgnoreCase: key ?? "" } : { eqIgnoreCase: key };
    const found = identifiers(await graphql<Data>(COMPLETION.issues, { filter: { team: { key: comparator } } }));
    return found.filter((identifier) => identifier.toLowerCase().startsWith(typed.toLowerCase()));
  },
};

const identifiers = ({ issues }: Data) => issues.nodes.map(({ identifier }) => identifier);

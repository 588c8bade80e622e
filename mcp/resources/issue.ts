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
  /** Text that begins no identifier is searched for in the issues. */
  async complete(typed, { graphql }) {
    const [, key, digits] = /^([a-z][a-z0-9]*)?(?:-(\d*))?$/i.exec(typed) ?? [];
    const search = async () => identifiers(await graphql<Data>(COMPLETION.search, { term: typed }));
    if (typed !== "" && key === undefined) return search();
    const comparator = digits === undefined ? { startsWithIgnoreCase: key ?? "" } : { eqIgnoreCase: key };
    const found = identifiers(await graphql<Data>(COMPLETION.issues, { filter: { team: { key: comparator } } }));
    const continued = found.filter((identifier) => identifier.toLowerCase().startsWith(typed.toLowerCase()));
    return continued.length > 0 || digits !== undefined || typed === "" ? continued : search();
  },
};

const identifiers = ({ issues }: Data) => issues.nodes.map(({ identifier }) => identifier);

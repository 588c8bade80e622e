import { readOwn } from "../../../formats/own.ts";
import { moment } from "../dates.ts";
import { jsonRecords } from "../read/json.ts";
import { type Converted, type Format, given, person, type Row, type Settings, stateOf, Wrong } from "../row.ts";
import { type Json, listOf, objectOf, textOf, within } from "./record.ts";

const FIELDS =
  "number,title,body,state,stateReason,author,assignees,labels,milestone,comments,createdAt,updatedAt,closedAt,url";

/** The format of `gh issue list --json` and GitHub's REST API: issues, and comments beside them. */
export const githubJson: Format = {
  name: "github-json",
  title: `GitHub: gh issue list --state all --limit 100000 --json ${FIELDS}`,
  source: "github",
  records: jsonRecords,
  convert: (record, at, settings) => convert(objectOf(record), at, settings),
  columns: {
    ...{ externalId: "number", identifier: "number", description: "body", creator: "author", assignee: "assignees" },
    ...{ project: "milestone", createdAt: "createdAt", completedAt: "closedAt", canceledAt: "closedAt" },
  },
};

function convert(record: Json, at: number, settings: Settings): Converted {
  const isPullRequest = record["pull_request"] || record["isPullRequest"] || /\/pull\/\d+$/.test(String(record["url"]));
  if (isPullRequest) return { rows: [], problems: [], skipped: "pull requests" };
  if (record["issue_url"] && !record["title"]) return { rows: [loneComment(record, at, settings)], problems: [] };
  const name = nameOf(record);
  if (!name) throw new Wrong("number", "is missing; give --json number,url,...");
  if (!settings.team) throw new Wrong("", "is in no team; say which with --team KEY");
  const team = settings.team;
  const row = (kind: Row["kind"], fields: Json): Row => ({ kind, at, name, fields: given(fields) });
  return {
    rows: [
      ...listOf(record["labels"]).map((label) => row("label", labelOf(label, team))),
      row("issue", { externalId: name, identifier: name, team, ...issueOf(record, settings) }),
      ...listOf(record["comments"]).map((comment) => row("comment", commentOf(comment, name, settings))),
      ...links(record, name).map((link) => row(link.kind, link.fields)),
    ],
    problems: [],
  };
}

/** owner/repository#12 out of any address of an issue; #12 where a file tells none. */
function nameOf(record: Json): string | undefined {
  const address = [record["html_url"], record["issue_url"], record["parent_issue_url"], record["url"]].find(Boolean);
  const [, place, number] = /([^/]+\/[^/]+)\/issues\/(\d+)/.exec(String(address)) ?? [];
  if (place) return `${place}#${number}`;
  const own = textOf(record["number"]);
  return own && `#${own}`;
}

function issueOf(record: Json, settings: Settings) {
  const date = (camel: string, snake: string) =>
    moment(textOf(readOwn(record, camel) ?? readOwn(record, snake)), camel, settings);
  const closedAt = date("closedAt", "closed_at");
  const state = closedState(record);
  const canceled = state !== "Todo" && state !== "Done";
  const [first] = [...listOf(record["assignees"]), within(record["assignee"])];
  return {
    ...stateOf(state, undefined, settings),
    title: textOf(record["title"]),
    description: textOf(record["body"]),
    labels: listOf(record["labels"]).map(({ name }) => name),
    creator: userOf(record["author"] ?? record["user"]),
    assignee: userOf(first),
    project: textOf(within(record["milestone"])["title"]),
    createdAt: date("createdAt", "created_at"),
    updatedAt: date("updatedAt", "updated_at"),
    completedAt: canceled ? undefined : closedAt,
    canceledAt: canceled ? closedAt : undefined,
  };
}

function closedState(record: Json): string {
  const state = String(record["state"] ?? "open").toLowerCase();
  const reason = String(record["stateReason"] ?? record["state_reason"] ?? "").toLowerCase();
  if (state !== "closed") return state === "open" ? "Todo" : state;
  return reason === "not_planned" ? "Canceled" : reason === "duplicate" ? "Duplicate" : "Done";
}

const userOf = (user: unknown) => {
  const { login, name, email } = within(user);
  const found = person(textOf(login) ?? textOf(name));
  return found && given({ ...found, email: textOf(email) ?? found.email });
};

function labelOf({ name, color, description }: Json, team: string) {
  const hex = textOf(color)?.replace(/^#?/, "#");
  return { team, name, color: /^#[0-9a-f]{6}$/i.test(hex ?? "") ? hex : undefined, description };
}

const commentOf = (comment: Json, issue: string, settings: Settings) => ({
  externalId: textOf(comment["url"] ?? comment["html_url"] ?? comment["id"]),
  issue,
  body: textOf(comment["body"]),
  author: userOf(comment["author"] ?? comment["user"]),
  createdAt: moment(textOf(comment["createdAt"] ?? comment["created_at"]), "comments.createdAt", settings),
  updatedAt: moment(textOf(comment["updatedAt"] ?? comment["updated_at"]), "comments.updatedAt", settings),
});

/** A comment of the REST API, which names its issue. */
function loneComment(record: Json, at: number, settings: Settings): Row {
  const issue = nameOf({ issue_url: record["issue_url"] }) ?? "";
  const { url: _, ...comment } = record;
  return { kind: "comment", at, name: issue, fields: given(commentOf(comment, issue, settings)) };
}

function links(record: Json, name: string): Pick<Row, "kind" | "fields">[] {
  const own = name.replace(/#\d+$/, "");
  const named = (other: Json) => nameOf(other)?.replace(/^#/, `${own}#`);
  const parent = named(given({ ...within(record["parent"]), parent_issue_url: record["parent_issue_url"] }));
  const relations = (field: string, turned: boolean) =>
    listOf(readOwn(record, field)).flatMap((other) => {
      const [issue, relatedIssue] = turned ? [named(other), name] : [name, named(other)];
      return issue && relatedIssue
        ? [{ kind: "relation" as const, fields: { type: "blocks", issue, relatedIssue } }]
        : [];
    });
  return [
    ...(parent ? [{ kind: "parent" as const, fields: { issue: name, parent } }] : []),
    ...relations("blockedBy", true),
    ...relations("blocking", false),
  ];
}

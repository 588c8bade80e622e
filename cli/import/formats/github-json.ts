import { getOwnProperty } from "../../../formats/own.ts";
import { parseImportTime } from "../dates.ts";
import { readJsonRecords } from "../read/json.ts";
import {
  type ConvertedRecord,
  FaultyColumnError,
  type ImportFormat,
  type ImportRow,
  type ImportSettings,
  omitEmpty,
  parsePerson,
  toIssueState,
} from "../row.ts";
import { type JsonObject, listObjects, requireObject, toObjectOrEmpty, toText } from "./record.ts";

const FIELDS =
  "number,title,body,state,stateReason,author,assignees,labels,milestone,comments,createdAt,updatedAt,closedAt,url";

/** Format of `gh issue list --json` and of GitHub's REST API: issues, and separate comments. */
export const githubJson: ImportFormat = {
  name: "github-json",
  title: `GitHub: gh issue list --state all --limit 100000 --json ${FIELDS}`,
  source: "github",
  records: readJsonRecords,
  convert: (record, at, settings) => convert(requireObject(record), at, settings),
  columns: {
    ...{ externalId: "number", identifier: "number", description: "body", creator: "author", assignee: "assignees" },
    ...{ project: "milestone", createdAt: "createdAt", completedAt: "closedAt", canceledAt: "closedAt" },
  },
};

function convert(record: JsonObject, at: number, settings: ImportSettings): ConvertedRecord {
  const isPullRequest = record["pull_request"] || record["isPullRequest"] || /\/pull\/\d+$/.test(String(record["url"]));
  if (isPullRequest) return { rows: [], problems: [], skipped: "pull requests" };
  if (record["issue_url"] && !record["title"]) return { rows: [loneComment(record, at, settings)], problems: [] };
  const name = readIssueName(record);
  if (!name) throw new FaultyColumnError("number", "is missing; export with --json number,url,...");
  if (!settings.team) throw new FaultyColumnError("", "has no team; add --team KEY");
  const team = settings.team;
  const row = (kind: ImportRow["kind"], fields: JsonObject): ImportRow => ({
    kind,
    at,
    name,
    fields: omitEmpty(fields),
  });
  return {
    rows: [
      ...listObjects(record["labels"]).map((label) => row("label", labelOf(label, team))),
      row("issue", { externalId: name, identifier: name, team, ...issueOf(record, settings) }),
      ...listObjects(record["comments"]).map((comment) => row("comment", commentOf(comment, name, settings))),
      ...links(record, name).map((link) => row(link.kind, link.fields)),
    ],
    problems: [],
  };
}

/** Returns owner/repository#12 from any URL of an issue, or #12 if the file contains no URL. */
function readIssueName(record: JsonObject): string | undefined {
  const address = [record["html_url"], record["issue_url"], record["parent_issue_url"], record["url"]].find(Boolean);
  const [, place, number] = /([^/]+\/[^/]+)\/issues\/(\d+)/.exec(String(address)) ?? [];
  if (place) return `${place}#${number}`;
  const own = toText(record["number"]);
  return own && `#${own}`;
}

function issueOf(record: JsonObject, settings: ImportSettings) {
  const date = (camel: string, snake: string) =>
    parseImportTime(toText(getOwnProperty(record, camel) ?? getOwnProperty(record, snake)), camel, settings);
  const closedAt = date("closedAt", "closed_at");
  const state = closedState(record);
  const canceled = state !== "Todo" && state !== "Done";
  const [first] = [...listObjects(record["assignees"]), toObjectOrEmpty(record["assignee"])];
  return {
    ...toIssueState(state, undefined, settings),
    title: toText(record["title"]),
    description: toText(record["body"]),
    labels: listObjects(record["labels"]).map(({ name }) => name),
    creator: readUser(record["author"] ?? record["user"]),
    assignee: readUser(first),
    project: toText(toObjectOrEmpty(record["milestone"])["title"]),
    createdAt: date("createdAt", "created_at"),
    updatedAt: date("updatedAt", "updated_at"),
    completedAt: canceled ? undefined : closedAt,
    canceledAt: canceled ? closedAt : undefined,
  };
}

function closedState(record: JsonObject): string {
  const state = String(record["state"] ?? "open").toLowerCase();
  const reason = String(record["stateReason"] ?? record["state_reason"] ?? "").toLowerCase();
  if (state !== "closed") return state === "open" ? "Todo" : state;
  return reason === "not_planned" ? "Canceled" : reason === "duplicate" ? "Duplicate" : "Done";
}

const readUser = (user: unknown) => {
  const { login, name, email } = toObjectOrEmpty(user);
  const found = parsePerson(toText(login) ?? toText(name));
  return found && omitEmpty({ ...found, email: toText(email) ?? found.email });
};

function labelOf({ name, color, description }: JsonObject, team: string) {
  const hex = toText(color)?.replace(/^#?/, "#");
  return { team, name, color: /^#[0-9a-f]{6}$/i.test(hex ?? "") ? hex : undefined, description };
}

const commentOf = (comment: JsonObject, issue: string, settings: ImportSettings) => ({
  externalId: toText(comment["url"] ?? comment["html_url"] ?? comment["id"]),
  issue,
  body: toText(comment["body"]),
  author: readUser(comment["author"] ?? comment["user"]),
  createdAt: parseImportTime(toText(comment["createdAt"] ?? comment["created_at"]), "comments.createdAt", settings),
  updatedAt: parseImportTime(toText(comment["updatedAt"] ?? comment["updated_at"]), "comments.updatedAt", settings),
});

/**
 * Converts a comment that the REST API returned separately from its issue. The comment's field `issue_url` names the
 * issue.
 */
function loneComment(record: JsonObject, at: number, settings: ImportSettings): ImportRow {
  const issue = readIssueName({ issue_url: record["issue_url"] }) ?? "";
  const { url: _, ...comment } = record;
  return { kind: "comment", at, name: issue, fields: omitEmpty(commentOf(comment, issue, settings)) };
}

function links(record: JsonObject, name: string): Pick<ImportRow, "kind" | "fields">[] {
  const own = name.replace(/#\d+$/, "");
  const named = (other: JsonObject) => readIssueName(other)?.replace(/^#/, `${own}#`);
  const parent = named(
    omitEmpty({ ...toObjectOrEmpty(record["parent"]), parent_issue_url: record["parent_issue_url"] }),
  );
  const relations = (field: string, turned: boolean) =>
    listObjects(getOwnProperty(record, field)).flatMap((other) => {
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

import { getOwnProperty } from "../formats/own.ts";

/** Commands of other trackers' tools (`bd`, `gh issue`, `linear`), and the equivalent commands of Trackway. */
const COMMANDS: Readonly<Record<string, string>> = {
  ...{ issue: "trackway list, show, create, update or close", issues: "trackway list", ls: "trackway list" },
  ...{ new: "trackway create TITLE", add: "trackway create TITLE", view: "trackway show ISSUE" },
  ...{ get: "trackway show ISSUE", edit: "trackway update ISSUE", set: "trackway update ISSUE" },
  ...{ assign: "trackway update ISSUE --assignee WHO", take: "trackway claim ISSUE", rm: "trackway delete ISSUE" },
  ...{ remove: "trackway delete ISSUE", finish: "trackway done ISSUE", complete: "trackway done ISSUE" },
  ...{ resolve: "trackway done ISSUE", cancel: "trackway update ISSUE --state canceled", next: "trackway ready" },
  ...{ dep: "trackway update ISSUE --blocked-by OTHER, or trackway unlink ISSUE OTHER" },
  ...{ link: "trackway update ISSUE --related-to OTHER", block: "trackway update ISSUE --blocked-by OTHER" },
  ...{ blocked: "trackway prime", onboard: "trackway prime", quickstart: "trackway --help" },
  ...{
    status: "trackway prime, or trackway list --count --group-by state",
    stats: "trackway list --count --group-by state",
  },
  ...{ count: "trackway list --count", find: "trackway search WORDS", query: "trackway search WORDS" },
  ...{ comments: "trackway show ISSUE", log: "trackway history ISSUE", browse: "trackway open ISSUE" },
  ...{ auth: "trackway login", init: "trackway login, then trackway connect AGENT", setup: "trackway connect AGENT" },
  ...{
    me: "trackway whoami",
    teams: "trackway team list",
    labels: "trackway label list",
    tag: "trackway label create NAME",
  },
  ...{ projects: "trackway project list", cycles: "trackway cycle list", sprint: "trackway cycle list" },
  ...{ sync: "nothing: issues are on the server at once", version: "trackway --version" },
};

/** Maps options of other issue trackers to the equivalent options of Trackway. */
const OPTIONS: Readonly<Record<string, string>> = {
  ...{ "--body": "--description, or the text of a comment", "-b": "--description, or the text of a comment" },
  ...{ "--body-file": "--description - < FILE", "-d": "--description", "--notes": "trackway comment ISSUE TEXT" },
  ...{ "--status": "--state", "-s": "--state", "--reason": "--message", "-r": "--message", "--comment": "--message" },
  ...{ "--labels": "--label, once for each", "-l": "--label", "--type": "--label", "--tag": "--label" },
  ...{ "-a": "--assignee", "--add-assignee": "--assignee", "--remove-assignee": "--assignee none", "-p": "--priority" },
  ...{ "--deps": "--blocked-by ISSUE", "--depends-on": "--blocked-by" },
  ...{ "--web": "trackway open ISSUE", "-w": "trackway open ISSUE", "--search": "trackway search WORDS" },
  ...{ "--sprint": "--cycle", "--epic": "--parent", "--points": "--estimate", "--due-date": "--due", "-n": "--limit" },
};

/** Returns the equivalent command for a command of another tool. */
export const findEquivalentCommand = (name: string): string | undefined => getOwnProperty(COMMANDS, name);

/** Returns the equivalent option for the unknown option that an error message names. */
export function findEquivalentOption(refusal: string): string | undefined {
  const [, flag = ""] = /unknown option '(--?[\w-]+)/.exec(refusal) ?? [];
  return getOwnProperty(OPTIONS, flag);
}

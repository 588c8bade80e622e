import type { JudgedIssue } from "./judged-titles.ts";

/** Search query with a relevance per issue: 3 intended, 1 partly relevant, 0 irrelevant. */
export interface JudgedQuery {
  kind: string;
  term: string;
  grade(issue: JudgedIssue): number;
}

/** Grades issues about a thing: 3 with the given fault, 1 with another fault. */
const about =
  (thing: string, fault: string) =>
  (issue: JudgedIssue): number =>
    issue.thing !== thing ? 0 : issue.fault === fault ? 3 : 1;
const only =
  (thing: string, fault: string) =>
  (issue: JudgedIssue): number =>
    issue.thing === thing && issue.fault === fault ? 3 : 0;
/** Grades all issues about a thing: 3 for open issues, 1 for closed issues. */
const of =
  (thing: string) =>
  (issue: JudgedIssue): number =>
    issue.thing !== thing ? 0 : issue.closed ? 1 : 3;
const noted =
  (thing: string) =>
  (issue: JudgedIssue): number =>
    issue.thing === thing && issue.description ? 3 : 0;
const that = (grade: (issue: JudgedIssue) => number, passes: (issue: JudgedIssue) => boolean) => (issue: JudgedIssue) =>
  passes(issue) ? grade(issue) : 0;

type Row = readonly [term: string, grade: JudgedQuery["grade"]];
const all = (kind: string, rows: readonly Row[]): JudgedQuery[] => rows.map(([term, grade]) => ({ kind, term, grade }));

/** Queries, graded by the subject of each issue and not by the letters of the title. */
export const JUDGED_QUERIES: readonly JudgedQuery[] = [
  ...all("words as they stand", [
    ["login page", of("login")],
    ["weekly report", of("report")],
    ["blank screen calendar", about("calendar", "blank")],
    ["card payment fails", about("payment", "fails")],
    ["keyboard shortcut", of("keyboard")],
  ]),
  ...all("another form of a word", [
    ["login failing", about("login", "fails")],
    ["webhooks duplicating", about("webhook", "duplicate")],
    ["currencies duplicated", about("currency", "duplicate")],
    ["categories renaming", about("category", "rename")],
    ["invoices exporting slow", about("invoice", "slow")],
    ["encrypting backups", about("backup", "encrypt")],
    ["sorted addresses", about("address", "sort")],
    ["documenting migrations", about("migration", "document")],
    ["comments crashed", about("comment", "crashes")],
    ["deleting avatars", about("avatar", "delete")],
  ]),
  ...all("another order", [
    ["timeout upload", about("upload", "timeout")],
    ["error dashboard", about("dashboard", "fails")],
    ["wrong numbers subscription", about("subscription", "wrong")],
    ["footer sidebar overlap", about("sidebar", "overlap")],
    ["guests missing permission", about("permission", "missing")],
  ]),
  ...all("the beginning of a word", [
    ["notif", of("notification")],
    ["attach blank", about("attachment", "blank")],
    ["transl docum", about("translation", "document")],
    ["timez wro", about("timezone", "wrong")],
    ["subscr dupl", about("subscription", "duplicate")],
    ["perm enc", about("permission", "encrypt")],
  ]),
  ...all("a misspelled word", [
    ["calender", of("calendar")],
    ["pasword", of("password")],
    ["notifcation", of("notification")],
    ["dashbord", of("dashboard")],
    ["attachement", of("attachment")],
    ["recurring subscribtion", of("subscription")],
    ["keybaord", of("keyboard")],
    ["adress", of("address")],
  ]),
  ...all("more words than it takes", [
    ["the search box is so slow today", about("search", "slow")],
    ["why does the webhook delivery fail", about("webhook", "fails")],
    ["our printer crashes whenever somebody prints", about("printer", "crashes")],
    ["tab freezes when I open the comment editor", about("comment", "freezes")],
    ["cannot delete browser sessions anymore", about("session", "delete")],
    ["image cache not encrypted at rest", about("cache", "encrypt")],
  ]),
  ...all("a quoted phrase", [
    ['"retry queue" slow', that(about("retry", "slow"), ({ title }) => /retry queue/i.test(title))],
    ['"blank screen" login', only("login", "blank")],
    ['"wrong numbers"', ({ fault, title }) => (fault === "wrong" && /wrong numbers/i.test(title) ? 3 : 0)],
    ['"access token" timeout', only("token", "timeout")],
  ]),
  ...all("without a word", [
    ["login -page", that(of("login"), ({ title }) => !/page/i.test(title))],
    ["payments -missing -slow", that(of("payment"), ({ fault }) => fault !== "missing" && fault !== "slow")],
    [
      "timeout -upload -login",
      ({ fault, thing }) => (fault === "timeout" && !["upload", "login"].includes(thing) ? 3 : 0),
    ],
    ["crash -safari report", that(about("report", "crashes"), ({ title }) => !/safari/i.test(title))],
  ]),
  ...all("an operator", [
    ["label:urgent webhook", that(of("webhook"), ({ urgent }) => urgent)],
    ["state:done slow backup", that(about("backup", "slow"), ({ closed }) => closed)],
    ["label:urgent timeout", ({ urgent, fault, closed }) => (urgent && fault === "timeout" ? (closed ? 1 : 3) : 0)],
    ["created:>1d avatar", of("avatar")],
    ["state:done label:urgent crash", ({ urgent, closed, fault }) => (urgent && closed && fault === "crashes" ? 3 : 0)],
  ]),
  ...all("marks beside words", [
    ["error: login", about("login", "fails")],
    ["(search) timeout!", about("search", "timeout")],
    ["time-zone wrong", about("timezone", "wrong")],
  ]),
  ...all("words of the description", [
    ["chargeback", noted("payment")],
    ["stale thumbnail", noted("cache")],
    ["paper jam", noted("printer")],
    ["quarterly figure", noted("report")],
  ]),
];

import { isUuid } from "../../formats/uuid.ts";
import type { Document } from "../data/document.ts";
import { Palette, PaletteRecent, PaletteTools } from "../data/documents.ts";
import type { IconName } from "../parts/icons.tsx";
import { ago, clip, plural } from "../parts/texts/format.ts";

/** Something to go to. */
export interface Found {
  group: string;
  icon: IconName;
  title: string;
  detail: string;
  href: string;
}

type Ask = <Result, Variables>(document: Document<Result, Variables>, variables: Variables) => Promise<Result>;

/** Answers that the palette asks for once, while it is open. */
export interface Known {
  tools: Kept<{ name: string; calls: number; failures: number }>;
  sessions: Kept<SessionHit>;
}

interface Kept<Item> {
  answer?: Promise<readonly Item[]>;
}

/** Sessions, issues and tools that a text finds; the latest sessions for none. */
export async function search(text: string, ask: Ask, known: Known): Promise<Found[]> {
  const wanted = text.trim();
  if (wanted === "") return (await recent(ask, known)).slice(0, MOST_RECENT).map(ofSession);
  if (isUuid(wanted)) {
    return [{ group: "Sessions", icon: "sessions", title: wanted, detail: "session id", href: `/sessions/${wanted}` }];
  }
  const of = [{ agent: { containsIgnoreCase: wanted } }, { user: { id: { containsIgnoreCase: wanted } } }];
  const agent = { startedAt: { gte: SINCE }, or: of };
  const [{ searchIssues, recordedSessions }, titled, tools] = await Promise.all([
    ask(Palette, { text: wanted, agent }),
    titledSessions(wanted, ask, known),
    toolsOf(wanted, ask, known),
  ]);
  const sessions = new Map([...titled, ...recordedSessions.nodes].map((one) => [one.id, one]));
  return [
    ...[...sessions.values()].slice(0, MOST_FOUND).map(ofSession),
    ...searchIssues.nodes.map(({ identifier, title, url }) => ({
      group: "Issues",
      icon: "issues" as const,
      title,
      detail: identifier,
      href: new URL(url).pathname,
    })),
    ...tools,
  ];
}

/** Sessions that began before are found on their own page. */
const SINCE = "-P30D";
const MOST_FOUND = 6;
const MOST_RECENT = 5;

/** The latest sessions, which PaletteRecent bounds. */
const recent = (ask: Ask, known: Known): Promise<readonly SessionHit[]> =>
  once(known.sessions, () => ask(PaletteRecent, {}).then(({ recordedSessions }) => recordedSessions.nodes));

/** The latest sessions whose title, the first message, has each word. */
async function titledSessions(text: string, ask: Ask, known: Known): Promise<SessionHit[]> {
  const words = text.toLowerCase().split(/\s+/);
  const all = await recent(ask, known);
  return all.filter(({ brief: { message } }) => words.every((word) => message?.toLowerCase().includes(word)));
}

/** An answer that is asked for once. Without it the palette finds all else: a refusal is an empty list. */
async function once<Item>(kept: Kept<Item>, ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  const read = () => (kept.answer ??= ask());
  return read().catch(() => {
    // Another text may have been typed since: then the request was cancelled, and not refused.
    delete kept.answer;
    return read().catch(() => []);
  });
}

/** Tools whose name has the text. */
async function toolsOf(text: string, ask: Ask, known: Known): Promise<Found[]> {
  const all = await once(known.tools, () =>
    ask(PaletteTools, {}).then(({ recordedToolStats }) => recordedToolStats.tools),
  );
  const fit = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, MOST_FOUND);
  return fit.map(({ name, calls, failures }) => ({
    group: "Tools",
    icon: "tools",
    title: clip(name, 120),
    detail: failures > 0 ? `${plural(calls, "call")}, ${failures} failed` : plural(calls, "call"),
    href: `/tools/${encodeURIComponent(name)}`,
  }));
}

interface SessionHit {
  id: string;
  startedAt: string;
  brief: { agent: string | null; message: string | null };
}

const ofSession = ({ id, startedAt, brief }: SessionHit): Found => ({
  group: "Sessions",
  icon: "sessions",
  title: clip(brief.message || id, 120),
  detail: `${brief.agent ?? ""} ${ago(Date.parse(startedAt), Date.now())}`,
  href: `/sessions/${id}`,
});

const PAGES: [title: string, href: string, icon: IconName, keys: string][] = [
  ["Sessions", "/sessions", "sessions", "G S"],
  ["Inbox", "/inbox", "inbox", "G N"],
  ["Failures", "/failures", "fail", "G F"],
  ["Tools", "/tools", "tools", "G T"],
  ["Usage", "/usage", "usage", "G P"],
  ["Users", "/users", "users", "G U"],
  ["Issues", "/issues", "issues", "G I"],
  ["New issue", "/issues/new", "plus", "C"],
  ["Projects", "/projects", "projects", ""],
  ["Cycles", "/cycles", "clock", ""],
  ["Connect an agent", "/connect", "plug", "G C"],
  ["Settings", "/settings", "settings", ""],
  ["Sessions with failures", "/sessions?failed=1", "fail", ""],
];

/** Found by their names alone: the list without a text stays short. */
const SETTINGS = [
  ["Profile", "profile"],
  ["Personal keys", "keys"],
  ["Connected programs", "connections"],
  ["Organization settings", "organization"],
  ["Members and invitations", "members"],
  ["Ingest keys", "ingest-keys"],
  ["Webhooks and deliveries", "webhooks"],
  ["Limits used", "limits"],
  ["Audit log", "audit"],
].map(([title, part]): (typeof PAGES)[number] => [title ?? "", `/settings/${part}`, "settings", "Settings"]);

/** Pages whose name fits a text, and what can be done with the text. */
export function commands(text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  const pages = [...PAGES, ...(wanted ? SETTINGS : [])]
    .filter(([title]) => title.toLowerCase().includes(wanted))
    .map(([title, href, icon, detail]) => ({
      group: "Pages",
      icon,
      title,
      detail,
      href,
    }));
  if (!wanted) return pages;
  const href = `/sessions?q=${encodeURIComponent(text.trim())}`;
  return [
    ...pages,
    { group: "Commands", icon: "filter", title: `Sessions that say “${text.trim()}”`, detail: "filter", href },
  ];
}

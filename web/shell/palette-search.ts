import { isUuid } from "../../formats/uuid.ts";
import type { GraphQLDocument } from "../data/document.ts";
import { Palette, PaletteRecent, PaletteTools } from "../data/documents.ts";
import type { IconName } from "../parts/icons.tsx";
import { formatAge, formatPlural, truncate } from "../parts/texts/format.ts";

/** Result of the command palette. */
export interface PaletteResult {
  group: string;
  icon: IconName;
  title: string;
  detail: string;
  href: string;
}

type RequestFunction = <Result, Variables>(
  document: GraphQLDocument<Result, Variables>,
  variables: Variables,
) => Promise<Result>;

/** Lists that the palette reads only once while the palette is open. */
export interface PaletteCache {
  tools: CachedList<{ name: string; calls: number; failures: number }>;
  sessions: CachedList<SessionHit>;
}

interface CachedList<Item> {
  answer?: Promise<readonly Item[]>;
}

/** Finds sessions, issues and tools by text. Returns the latest sessions for an empty text. */
export async function searchPalette(text: string, ask: RequestFunction, known: PaletteCache): Promise<PaletteResult[]> {
  const wanted = text.trim();
  if (wanted === "") return (await recent(ask, known)).slice(0, MOST_RECENT).map(ofSession);
  if (isUuid(wanted)) {
    return [{ group: "Sessions", icon: "sessions", title: wanted, detail: "session ID", href: `/sessions/${wanted}` }];
  }
  const of = [{ agent: { containsIgnoreCase: wanted } }, { user: { id: { containsIgnoreCase: wanted } } }];
  const agent = { startedAt: { gte: SINCE }, or: of };
  const [{ searchIssues, recordedSessions }, titled, tools] = await Promise.all([
    ask(Palette, { text: wanted, agent }),
    titledSessions(wanted, ask, known),
    findTools(wanted, ask, known),
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

/**
 * Earliest start of the sessions that the palette finds by agent or user. The page of sessions also finds older
 * sessions.
 */
const SINCE = "-P30D";
const MOST_FOUND = 6;
const MOST_RECENT = 5;

/** Reads the latest sessions. The query `PaletteRecent` sets the maximum number of sessions. */
const recent = (ask: RequestFunction, known: PaletteCache): Promise<readonly SessionHit[]> =>
  readOnce(known.sessions, () => ask(PaletteRecent, {}).then(({ recordedSessions }) => recordedSessions.nodes));

/** Returns the latest sessions whose title contains each word. The title of a session is the first message. */
async function titledSessions(text: string, ask: RequestFunction, known: PaletteCache): Promise<SessionHit[]> {
  const words = text.toLowerCase().split(/\s+/);
  const all = await recent(ask, known);
  return all.filter(({ brief: { message } }) => words.every((word) => message?.toLowerCase().includes(word)));
}

/** Reads a list once. After an error returns an empty list, because the palette works without that list. */
async function readOnce<Item>(kept: CachedList<Item>, ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  const read = () => (kept.answer ??= ask());
  return read().catch(() => {
    // Retries once, because the first request may have been cancelled when the user typed another text.
    delete kept.answer;
    return read().catch(() => []);
  });
}

/** Returns the tools whose name contains the text. */
async function findTools(text: string, ask: RequestFunction, known: PaletteCache): Promise<PaletteResult[]> {
  const all = await readOnce(known.tools, () =>
    ask(PaletteTools, {}).then(({ recordedToolStats }) => recordedToolStats.tools),
  );
  const fit = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, MOST_FOUND);
  return fit.map(({ name, calls, failures }) => ({
    group: "Tools",
    icon: "tools",
    title: truncate(name, 120),
    detail: failures > 0 ? `${formatPlural(calls, "call")}, ${failures} failed` : formatPlural(calls, "call"),
    href: `/tools/${encodeURIComponent(name)}`,
  }));
}

interface SessionHit {
  id: string;
  startedAt: string;
  brief: { agent: string | null; message: string | null };
}

const ofSession = ({ id, startedAt, brief }: SessionHit): PaletteResult => ({
  group: "Sessions",
  icon: "sessions",
  title: truncate(brief.message || id, 120),
  detail: `${brief.agent ?? ""} ${formatAge(Date.parse(startedAt), Date.now())}`,
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

/**
 * Settings pages. The palette lists these pages only for a matching text, so that the list for an empty text stays
 * short.
 */
const SETTINGS = [
  ["Profile", "profile"],
  ["Personal keys", "keys"],
  ["Connected apps", "connections"],
  ["Organization settings", "organization"],
  ["Members and invitations", "members"],
  ["Ingest keys", "ingest-keys"],
  ["Webhooks and deliveries", "webhooks"],
  ["Limits used", "limits"],
  ["Audit log", "audit"],
].map(([title, part]): (typeof PAGES)[number] => [title ?? "", `/settings/${part}`, "settings", "Settings"]);

/** Returns the pages whose name matches a text, and the actions for the text. */
export function findCommands(text: string): PaletteResult[] {
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
    { group: "Commands", icon: "filter", title: `Sessions that contain “${text.trim()}”`, detail: "filter", href },
  ];
}

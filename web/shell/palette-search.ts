import type { Document } from "../data/document.ts";
import { Palette, PaletteRecent, PaletteTools } from "../data/documents.ts";
import { ago, clip, plural } from "../parts/format.ts";
import type { IconName } from "../parts/icons.tsx";

/** Something to go to. */
export interface Found {
  group: string;
  icon: IconName;
  title: string;
  detail: string;
  href: string;
}

type Ask = <Result, Variables>(document: Document<Result, Variables>, variables: Variables) => Promise<Result>;

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** What the palette reads once, while it is open. */
export interface Known {
  tools?: Promise<readonly { name: string; calls: number; failures: number }[]>;
}

/** Sessions, issues and tools that a text finds; the latest sessions for none. */
export async function search(text: string, ask: Ask, known: Known): Promise<Found[]> {
  const wanted = text.trim();
  if (wanted === "") return (await ask(PaletteRecent, {})).recordedSessions.nodes.map(ofSession);
  if (UUID.test(wanted)) {
    return [{ group: "Sessions", icon: "sessions", title: wanted, detail: "session id", href: `/sessions/${wanted}` }];
  }
  const of = [{ agent: { containsIgnoreCase: wanted } }, { user: { id: { containsIgnoreCase: wanted } } }];
  const agent = { startedAt: { gte: SINCE }, or: of };
  const [{ searchIssues, recordedSessions }, tools] = await Promise.all([
    ask(Palette, { text: wanted, agent }),
    toolsOf(wanted, ask, known),
  ]);
  return [
    ...recordedSessions.nodes.map(ofSession),
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
const MOST_TOOLS = 6;

/** Tools by their name. That they cannot be read leaves them out: all else is found. */
async function toolsOf(text: string, ask: Ask, known: Known): Promise<Found[]> {
  const read = () => (known.tools ??= ask(PaletteTools, {}).then(({ recordedToolStats }) => recordedToolStats.tools));
  const all = await read().catch(() => {
    // The text that it was asked for may be another by now: then that request was given up, and not refused.
    delete known.tools;
    return read().catch(() => []);
  });
  const fit = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, MOST_TOOLS);
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
  ["Tools", "/tools", "tools", "G T"],
  ["Users", "/users", "users", "G U"],
  ["Issues", "/issues", "issues", "G I"],
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

import type { Document } from "../data/document.ts";
import { Palette, PaletteRecent } from "../data/documents.ts";
import { ago, clip } from "../parts/format.ts";
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

/** Sessions and issues that a text finds; the latest sessions for none. */
export async function search(text: string, ask: Ask): Promise<Found[]> {
  const wanted = text.trim();
  if (wanted === "") return (await ask(PaletteRecent, {})).recordedSessions.nodes.map(ofSession);
  if (UUID.test(wanted)) {
    return [{ group: "Sessions", icon: "sessions", title: wanted, detail: "session id", href: `/sessions/${wanted}` }];
  }
  const agent = { or: [{ agent: { containsIgnoreCase: wanted } }, { user: { id: { containsIgnoreCase: wanted } } }] };
  const { searchIssues, recordedSessions } = await ask(Palette, { text: wanted, agent });
  return [
    ...recordedSessions.nodes.map(ofSession),
    ...searchIssues.nodes.map(({ identifier, title, url }) => ({
      group: "Issues",
      icon: "issues" as const,
      title,
      detail: identifier,
      href: new URL(url).pathname,
    })),
  ];
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

/** Pages whose name fits a text, and what can be done with the text. */
export function commands(text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  const pages = PAGES.filter(([title]) => title.toLowerCase().includes(wanted)).map(([title, href, icon, detail]) => ({
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

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { getOwnProperty } from "../../formats/own.ts";
import { useRunningSessionCount } from "../data/active.ts";
import { useSidebarCounts } from "../data/counts.ts";
import { currentLogin, signOut } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icons.tsx";
import { Avatar, CountBadge } from "../parts/marks.tsx";
import { lazyComponent } from "./lazy.tsx";
import { openPalette } from "./palette-state.ts";
import { appLocation } from "./router.ts";

const SavedViews = lazyComponent(() => import("./views-in-rail.tsx"));

type PageLink = [path: string, name: string, icon: IconName];

/** Pages in groups. The first group has no name. */
const GROUPS: [name: string, pages: PageLink[]][] = [
  ["", [["/inbox", "Inbox", "inbox"]]],
  [
    "Work",
    [
      ["/issues", "Issues", "issues"],
      ["/projects", "Projects", "projects"],
      ["/cycles", "Cycles", "clock"],
    ],
  ],
  [
    "Recorder",
    [
      ["/sessions", "Sessions", "sessions"],
      ["/failures", "Failures", "fail"],
      ["/tools", "Tools", "tools"],
      ["/users", "Users", "users"],
      ["/usage", "Usage", "usage"],
    ],
  ],
];
const FOOT: PageLink[] = [
  ["/connect", "Connect an agent", "plug"],
  ["/settings", "Settings", "settings"],
];

const isHere = (path: string): boolean => {
  const at = appLocation.value.path;
  if (path === "/issues" && /^\/[^/]+\/(issue|team)\//.test(at)) return true;
  if (path === "/projects" && /^\/[^/]+\/project\//.test(at)) return true;
  return at === path || at.startsWith(`${path}/`);
};

const Item = ({ page: [path, name, icon], children }: { page: PageLink; children?: ComponentChildren }) => (
  <li>
    <a href={path} title={name} aria-current={isHere(path) ? "page" : undefined}>
      <Icon name={icon} />
      <span class="l">{name}</span>
      {children}
    </a>
  </li>
);

/** Returns the counts that the sidebar shows, by path of the page, each with an optional word. */
function useRail(): Record<string, [count: number, word?: string]> {
  const { inbox, issues, cycle, failures } = useSidebarCounts();
  return {
    "/inbox": [inbox],
    "/issues": [issues],
    "/cycles": [cycle],
    "/sessions": [useRunningSessionCount(), "live"],
    "/failures": [failures, "new"],
  };
}

function Groups() {
  const rail = useRail();
  return (
    <>
      {GROUPS.map(([group, pages]) => (
        <div key={group} class="group">
          {group && <h2>{group}</h2>}
          <ul aria-label={group || undefined}>
            {pages.map((page) => (
              <Item key={page[0]} page={page}>
                <CountBadge of={getOwnProperty(rail, page[0]) ?? [0]} />
              </Item>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** Sidebar with the links to the pages; narrow beside a session. */
export function Sidebar() {
  const who = currentLogin.value;
  return (
    <nav class="nav" aria-label="Main">
      <a class="brand" href="/" title="Trackway">
        <Icon name="mark" class="mark" />
        <span class="l">Trackway</span>
        <span class="org">{who?.organization?.name}</span>
      </a>
      <button class="ask" type="button" onClick={openPalette} title="Search and commands">
        <Icon name="search" />
        <span class="l">Search</span>
        <kbd>{/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <Groups />
      {isHere("/issues") && <SavedViews />}
      <ul class="foot">
        {FOOT.map((page) => (
          <Item key={page[0]} page={page} />
        ))}
        <li>
          <a href="/settings/profile" title={who?.user.name}>
            <Avatar name={who?.user.name ?? ""} />
            <span class="l">{who?.user.name}</span>
          </a>
        </li>
        <li>
          <button class="ask out" type="button" onClick={signOut} title="Sign out">
            <Icon name="off" />
            <span class="l">Sign out</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}

/** Bar at the bottom of a small screen with the main pages. “More” opens the list of all pages. */
export function TabBar() {
  const [open, setOpen] = useState(false);
  return (
    <nav class="tabbar" aria-label="Main, small screen">
      <Tab page={["/inbox", "Inbox", "inbox"]} />
      <Tab page={["/issues", "Issues", "issues"]} />
      <button type="button" onClick={openPalette}>
        <Icon name="search" class="i-20" />
        Search
      </button>
      <Tab page={["/sessions", "Sessions", "sessions"]} />
      <button type="button" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}>
        <Icon name="dots" class="i-20" />
        More
      </button>
      {open && (
        <Dialog title="Pages" close={() => setOpen(false)}>
          <nav class="sheet" aria-label="Pages">
            <Groups />
            <ul>
              {FOOT.map((page) => (
                <Item key={page[0]} page={page} />
              ))}
            </ul>
          </nav>
        </Dialog>
      )}
    </nav>
  );
}

const Tab = ({ page: [path, name, icon] }: { page: PageLink }) => (
  <a href={path} aria-current={isHere(path) ? "page" : undefined}>
    <Icon name={icon} class="i-20" />
    {name}
  </a>
);

import { signal } from "@preact/signals";

/** Current address of the app. */
export interface AppLocation {
  path: string;
  search: URLSearchParams;
  /** Id of the history entry. */
  entry: string;
}

let entries = 0;
/** Creates the state of a history entry, with the id of the previous entry. */
const newEntry = () => ({ entry: `${performance.timeOrigin} ${++entries}`, from: history.state?.entry });

function readLocation(): AppLocation {
  if (!history.state?.entry) history.replaceState(newEntry(), "");
  return { path: location.pathname, search: new URLSearchParams(location.search), entry: history.state.entry };
}

/** Current URL of the app, as a signal. */
export const appLocation = signal<AppLocation>(readLocation());

/** Navigates to a URL of the app. */
export function navigate(href: string, { replace = false } = {}): void {
  const url = new URL(href, location.href);
  if (url.href !== location.href) {
    if (replace) history.replaceState(history.state, "", url);
    else history.pushState(newEntry(), "", url);
  }
  const moved = appLocation.peek().path !== url.pathname;
  appLocation.value = readLocation();
  if (!moved || replace) return;
  document.getElementById("main")?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Changes parameters of the URL. The value undefined removes a parameter. */
export function setSearchParameters(changes: Record<string, string | undefined>, replace = true): void {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") search.delete(name);
    else search.set(name, value);
  }
  navigateToQuery(search.toString(), replace);
}

/** Replaces the query of the address. */
export const navigateToQuery = (query: string, replace = false): void =>
  navigate(location.pathname + (query && `?${query}`), { replace });

/** Handles links of the app without a reload of the page. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    appLocation.value = readLocation();
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (/^\/(api|graphql|assets|oauth)(\/|$)/.test(link.pathname)) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    navigate(link.href);
  });
}

/**
 * Returns the parameters of a path that matches a pattern such as `/sessions/:id`. Returns undefined if the path does
 * not match. `*` at the end of a pattern matches any remaining text.
 */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const names: string[] = [];
  const text = pattern
    .replace(/:(\w+)/g, (_, name) => {
      names.push(name);
      return "([^/]+)";
    })
    .replace("*", ".*");
  const found = new RegExp(`^${text}/?$`).exec(path);
  return found ? Object.fromEntries(names.map((name, at) => [name, decode(found[at + 1] ?? "")])) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

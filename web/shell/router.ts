import { signal } from "@preact/signals";

/** The place the app shows. */
export interface Place {
  path: string;
  search: URLSearchParams;
  /** The entry of the history, which going back leads to again. */
  entry: string;
}

let entries = 0;
/** An entry knows the one that led to it. */
const newEntry = () => ({ entry: `${performance.timeOrigin} ${++entries}`, from: history.state?.entry });

function here(): Place {
  if (!history.state?.entry) history.replaceState(newEntry(), "");
  return { path: location.pathname, search: new URLSearchParams(location.search), entry: history.state.entry };
}

/** The place, as signals tell of it. */
export const place = signal<Place>(here());

/** Goes to an address of the app. */
export function navigate(href: string, { replace = false } = {}): void {
  const url = new URL(href, location.href);
  if (url.href !== location.href) {
    if (replace) history.replaceState(history.state, "", url);
    else history.pushState(newEntry(), "", url);
  }
  const moved = place.peek().path !== url.pathname;
  place.value = here();
  if (!moved || replace) return;
  document.getElementById("main")?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Changes parameters of the address; undefined removes one. */
export function setSearch(changes: Record<string, string | undefined>, replace = true): void {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") search.delete(name);
    else search.set(name, value);
  }
  setQuery(search.toString(), replace);
}

/** Gives the address another query. */
export const setQuery = (query: string, replace = false): void =>
  navigate(location.pathname + (query && `?${query}`), { replace });

/** Follows links of the app without loading the page anew. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    place.value = here();
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

/** The named parts of a path, when it fits a pattern such as `/sessions/:id`; a `*` at the end takes the rest. */
export function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
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

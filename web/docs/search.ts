export {};

/** Section of a page in the search index. */
interface Section {
  address: string;
  page: string;
  heading: string;
  text: string;
}

/** Maximum number of results. */
const MOST = 12;
/** Number of characters that a search result shows before and after the first match. */
const AROUND = 60;

const box = document.querySelector("search");
const input = box?.querySelector("input");
const list = box?.querySelector<HTMLElement>("#found");
const report = box?.querySelector("[role=status]");
let sections: Promise<Section[]> | undefined;
let chosen = -1;

/** Loads the index when the user first focuses the search field. */
const load = (): Promise<Section[]> =>
  (sections ??= fetch(box?.dataset["index"] ?? "").then((response) => response.json()));

/** Returns the sections that contain every word. Sections with a word in the heading come first. */
function find(all: readonly Section[], words: readonly string[]): Section[] {
  const scored = all.flatMap((section) => {
    const heading = section.heading.toLowerCase();
    const everything = `${section.page} ${heading} ${section.text}`.normalize("NFC").toLowerCase();
    if (!words.every((word) => everything.includes(word))) return [];
    const score = words.reduce(
      (sum, word) =>
        sum +
        (heading === word ? 8 : 0) +
        (heading.includes(word) ? 4 : 0) +
        Number(section.page.toLowerCase().includes(word)),
      0,
    );
    return [{ section, score }];
  });
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST)
    .map(({ section }) => section);
}

function around(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word);
  if (at < 0) return text.slice(0, 2 * AROUND);
  const from = Math.max(0, at - AROUND);
  return `${from > 0 ? "…" : ""}${text.slice(from, at + word.length + AROUND)}…`;
}

function item(section: Section, word: string, at: number): HTMLElement {
  const entry = document.createElement("div");
  entry.id = `found-${at}`;
  entry.setAttribute("role", "option");
  const link = document.createElement("a");
  link.href = section.address;
  link.tabIndex = -1;
  const heading = document.createElement("b");
  heading.textContent = section.heading === section.page ? section.page : `${section.page} › ${section.heading}`;
  const text = document.createElement("span");
  text.textContent = around(section.text, word);
  link.append(heading, text);
  entry.append(link);
  return entry;
}

function choose(at: number): void {
  if (!list || !input) return;
  const items = [...list.children];
  chosen = items.length === 0 ? -1 : (at + items.length) % items.length;
  for (const [place, each] of items.entries()) each.setAttribute("aria-selected", String(place === chosen));
  items[chosen]?.scrollIntoView({ block: "nearest" });
  if (chosen >= 0) input.setAttribute("aria-activedescendant", `found-${chosen}`);
  else input.removeAttribute("aria-activedescendant");
}

function show(found: readonly Section[], word: string): void {
  if (!list || !input || !report) return;
  list.replaceChildren(...found.map((section, at) => item(section, word, at)));
  list.hidden = found.length === 0;
  input.setAttribute("aria-expanded", String(!list.hidden));
  report.textContent = word === "" ? "" : found.length === 0 ? "No results." : `${found.length} sections found.`;
  report.classList.toggle("sr", word === "" || found.length > 0);
  choose(-1);
  if (found.length > 0) choose(0);
}

async function search(): Promise<void> {
  const text = input?.value ?? "";
  const words = text.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return show([], "");
  const all = await load();
  // The user may have typed more while the index loaded.
  if (input?.value === text) show(find(all, words), words[0] ?? "");
}

if (box && input && list) {
  box.hidden = false;
  input.addEventListener("focus", () => void load());
  input.addEventListener("input", () => void search());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") list.children[chosen]?.querySelector("a")?.click();
    else if (event.key === "Escape") {
      input.value = "";
      show([], "");
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !box.contains(event.target)) show([], "");
  });
}
// Closes the list of pages on a small screen, so that the content comes first.
if (matchMedia("(max-width: 767px)").matches) document.querySelector("nav details")?.removeAttribute("open");

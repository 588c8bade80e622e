import DOMPurify, { type Config } from "dompurify";
import { Marked } from "marked";
import { showBidiControlsInFragment } from "./bidi.ts";
import { explainRedactionMark, splitAtRedactionMarks } from "./redacted.tsx";

/**
 * Renderer of Markdown. HTML in the text is escaped. Images become links, so that the page loads nothing from other
 * servers.
 */
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
});

const TAGS =
  "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong table tbody td th thead tr ul".split(" ");

const SAFE: Config & { RETURN_DOM_FRAGMENT: true } = {
  RETURN_DOM_FRAGMENT: true,
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ["href", "align", "start"],
  ALLOWED_URI_REGEXP: /^(https?:|mailto:|\/(?!\/))/i,
};

/**
 * Renders Markdown to elements. Links in recorded text are inactive, because an agent wrote the links and nobody has
 * checked them.
 */
export function renderMarkdown(text: string, links: boolean, issues: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), SAFE);
  for (const link of fragment.querySelectorAll("a")) {
    const href = link.getAttribute("href") ?? "";
    if (!links || !href) {
      const said = document.createElement("span");
      said.append(...link.childNodes);
      if (href && said.textContent !== href) said.title = href;
      link.replaceWith(said);
    } else if (!href.startsWith("/")) Object.assign(link, { target: "_blank", rel: "noopener noreferrer nofollow" });
  }
  // Makes code blocks focusable, so that the keyboard can scroll long lines.
  for (const block of fragment.querySelectorAll("pre")) block.tabIndex = 0;
  if (issues) linkIssues(fragment, issues);
  showRedacted(fragment);
  showBidiControlsInFragment(fragment);
  return fragment;
}

/** Turns issue identifiers of the given teams into links, except inside links and code. */
function linkIssues(fragment: DocumentFragment, keys: string): void {
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) found.push(texts.currentNode as Text);
  const identifier = new RegExp(`\\b(?:${keys})-\\d{1,9}\\b`);
  for (let text of found) {
    if (text.parentElement?.closest("a, code, pre")) continue;
    for (let match = identifier.exec(text.data); match; match = identifier.exec(text.data)) {
      const link = document.createElement("a");
      link.href = `/issues/${match[0]}`;
      const rest = text.splitText(match.index);
      text = rest.splitText(match[0].length);
      rest.replaceWith(link);
      link.append(rest);
    }
  }
}

/** Replaces the marks of redacted secrets with the names of the rules. */
function showRedacted(fragment: DocumentFragment): void {
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) found.push(texts.currentNode as Text);
  for (const text of found) {
    const pieces = splitAtRedactionMarks(text.data);
    if (pieces.length === 1 && typeof pieces[0] === "string") continue;
    text.replaceWith(...pieces.map((piece) => (typeof piece === "string" ? piece : markOf(piece.kind, piece.hint))));
  }
}

function markOf(kind: string, hint: string): HTMLElement {
  const mark = document.createElement("span");
  const digits = document.createElement("span");
  digits.textContent = hint;
  mark.append(`${kind} `, digits);
  return Object.assign(mark, { className: "redacted", title: explainRedactionMark(kind) });
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

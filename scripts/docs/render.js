// @ts-check
import { dirname, join } from "node:path";
import { Marked } from "marked";

/** The fragment of a heading's URL, as the links in the pages spell fragments. @param {string} heading */
const toSlug = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Renders a page as HTML, with links to its level-2 headings. Links between pages become paths below /docs. A link to
 * a file that is not served becomes plain text.
 * @param {import("./compile-docs.js").DocsPage} page
 * @param {ReadonlyMap<string, string>} names names of the pages by their files
 */
export function renderPage(page, names) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = toSlug(plain(tokens));
        const html = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(page.source, href, names);
        return address === undefined ? text : `<a href="${escaped(address)}">${text}</a>`;
      },
      image: ({ href, text }) =>
        `<img src="/docs/${escaped(href.replace(/^docs\//, ""))}" alt="${escaped(text)}" loading="lazy">`,
      table(token) {
        const row = (/** @type {typeof token.header} */ cells, /** @type {string} */ tag) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("\n");
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code: ({ text, lang }) =>
        `<pre tabindex="0"${lang ? ` data-lang="${escaped(lang)}"` : ""}><code>${escaped(text)}</code></pre>\n`,
    },
  });
  const tokens = marked.lexer(page.text);
  const headings = tokens.flatMap((token) => (token.type === "heading" ? [token] : []));
  const second = headings.filter(({ depth }) => depth === 2);
  const links = second.map(({ tokens: inside = [] }) => [toSlug(plain(inside)), plain(inside)]);
  return {
    title: escaped(headings[0] ? plain(headings[0].tokens ?? []) : page.name),
    html: marked.parser(tokens),
    tokens,
    contents: links.map(([id, text]) => `<li><a href="#${id}">${escaped(String(text))}</a></li>`).join(""),
  };
}

/**
 * @param {string} source
 * @param {string} href
 * @param {ReadonlyMap<string, string>} names
 */
function addressOf(source, href, names) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const target = join(dirname(source), path);
  const name = target === "README.md" ? "" : names.get(target);
  if (name === undefined) return undefined;
  return `/docs${name && `/${name}`}${fragment && target !== "README.md" ? `#${fragment}` : ""}`;
}

/**
 * Extracts the plain text of tokens.
 * @param {import("marked").Token[]} tokens
 * @returns {string}
 */
function plain(tokens) {
  return tokens
    .map((token) => {
      if ("tokens" in token && token.tokens) return plain(token.tokens);
      if (token.type === "table") return [...token.header, ...token.rows.flat()].map(({ text }) => text).join(" ");
      if (token.type === "list") return token.items.map((/** @type {{ text: string }} */ { text }) => text).join(" ");
      return token.type === "html" ? "" : "text" in token ? token.text : "";
    })
    .join("");
}

/**
 * The sections of a page for the search: URL, page title, heading and text.
 * @param {import("./compile-docs.js").DocsPage} page
 * @param {string} title
 * @param {import("marked").Token[]} tokens
 */
export function buildSections(page, title, tokens) {
  /** @type {{ address: string, page: string, heading: string, text: string }[]} */
  const sections = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plain(token.tokens ?? []);
      const address = `/docs${page.name && `/${page.name}`}${token.depth === 1 ? "" : `#${toSlug(heading)}`}`;
      sections.push({ address, page: title, heading, text: "" });
    } else if (token.type !== "space") {
      const last = sections.at(-1);
      if (last) last.text += `${searched(plain([token]))} `;
    }
  }
  return sections;
}

/** Removes Markdown characters and link targets from text for the search. @param {string} text */
const searched = (text) => text.replaceAll(/\[([^\]]*)\]\([^()\s]*\)/g, "$1").replaceAll(/(\||-{3,}|[`*\s])+/g, " ");

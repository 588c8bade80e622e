// @ts-check
// `npm run check` runs this: it refuses comments and docs that withhold their subject, or that use a word of a private
// dialect for a thing that has a name (docs/glossary.md). Long sentences are counted, not refused.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SOURCES } from "./folders.js";
import { commentsOf, passagesOf } from "./passages.js";

const CODE = [...SOURCES, "bench", "scripts", "test"];
const ROOTS = [...CODE, "examples", "docs"];
const PAGES = ["README.md", "CONTRIBUTING.md"];
const LEFT_OUT = /^(test\/(snapshots|fixtures)\/|web\/data\/documents\.ts$|scripts\/english\.js$|docs\/decisions\/)/;
const MOST_WORDS = 25;

const OPENING = /^(What|Whether|Of|Which|Where|Who|How)\b(?! to\b)(?![^.]*\?)/;

/** @type {[pattern: RegExp, cure: string][]} */
const WORDS = [
  [/\btold\b(?! (apart|from)\b)/i, "name who sends what: sent, reported, listed, notified, set"],
  [/\b(hears?|heard)\b/i, "say receives, or is notified"],
  [/\bnews\b/i, "say changes, events or notifications"],
  [/\b(an?|the|each|every|next|last|first|one|another) look\b/i, "say read, check or query"],
  [/\bdoors?\b/i, "say endpoint, route or API"],
  [/\bgone\b(?! (on|to|through|over|back)\b)/i, "say deleted, closed, expired or ended"],
  [/\b((?<!term )without a|says? no|the last|a single) word\b/i, "say what is sent, or that nothing is"],
  [/\blanes?\b/i, "say queue"],
  [/\b(the|newest|of|that|such) few\b(?! \w+s\b)/i, "name the rows, or give their number"],
];

/** Types that stand for things with names of their own. */
const TYPES = /\b(?:interface|type|class|enum) (Told|Door|Lane|News|Look)\b(?! *[,}])/g;

/**
 * Findings in one file, each with its line and its cure.
 * @param {string} path
 * @param {string} text
 */
export function findings(path, text) {
  const passages = path.endsWith(".md") ? passagesOf(text) : commentsOf(text);
  const found = passages.flatMap(({ line, text: passage }) => {
    const opening = OPENING.exec(passage)?.[1];
    return [
      ...(opening ? [`${path}:${line}: opens with "${opening}": begin with the subject`] : []),
      ...WORDS.flatMap(([pattern, cure]) => {
        const [word] = pattern.exec(passage) ?? [];
        return word ? [`${path}:${line}: "${word}": ${cure}`] : [];
      }),
    ];
  });
  const types = path.endsWith(".md") ? [] : [...text.matchAll(TYPES)];
  return {
    found: [...found, ...types.map(([, name]) => `${path}: the type ${name}: give it the name of what it holds`)],
    passages: passages.length,
    long: passages.reduce((sum, passage) => sum + longSentences(passage.text), 0),
  };
}

/** @param {string} text */
function longSentences(text) {
  const sentences = text.split(/(?<=[.!?:;])\s+/);
  return sentences.filter((sentence) => sentence.split(/\s+/).length > MOST_WORDS).length;
}

const files = () =>
  ROOTS.flatMap((root) => readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => `${root}/${name}`))
    .concat(PAGES)
    .filter((path) => /\.(tsx?|m?js|md)$/.test(path) && !LEFT_OUT.test(path) && !/^docs\/\w+\//.test(path));

/** The folder that a file counts for: of the server the folders inside it. @param {string} path */
const folderOf = (path) =>
  path
    .split("/")
    .slice(0, path.startsWith("server/") ? 2 : 1)
    .filter((part) => !part.includes("."))
    .join("/") || path;

function main() {
  /** @type {Map<string, { passages: number, long: number, found: number }>} */
  const counts = new Map();
  const refused = [];
  for (const path of files()) {
    const { found, passages, long } = findings(path, readFileSync(path, "utf8"));
    const count = counts.get(folderOf(path)) ?? { passages: 0, long: 0, found: 0 };
    counts.set(folderOf(path), {
      passages: count.passages + passages,
      long: count.long + long,
      found: count.found + found.length,
    });
    refused.push(...found);
  }
  for (const [folder, { passages, long, found }] of counts)
    console.log(`${folder}: ${passages} passages, ${long} sentences over ${MOST_WORDS} words, ${found} findings`);
  for (const line of refused) console.error(line);
  if (refused.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();

// To a reader, texts that differ only in their Unicode normal form (NFC, NFD) are the same text. Stored text keeps its
// bytes, and comparisons use the composed form (NFC). Identities (ids, keys, emails, paths) are compared byte by byte
// instead.

/** Returns text in the composed form (NFC) that comparisons use. */
export const toCanonicalText = (text: string): string => text.normalize("NFC");

/**
 * Returns the spellings of a text to look up in an index of stored bytes: as given, composed (NFC) and decomposed
 * (NFD). Stored text that mixes both forms is found only by its own spelling.
 */
export const listSpellings = (text: string): string[] => [
  ...new Set([text, toCanonicalText(text), text.normalize("NFD")]),
];

/** Returns a name in the form that comparisons use: NFC, in lower case. */
export const toComparableName = (name: string): string => toCanonicalText(name).toLowerCase();

/** Returns true if two names are equal, ignoring case and Unicode normal form. */
export const isSameName = (one: string, other: string): boolean => toComparableName(one) === toComparableName(other);

/**
 * Returns the matches whose name has exactly the given spelling, apart from upper and lower case. If no match has this
 * spelling, returns all matches. Data of version 0.2.0 may contain two names that differ only in their Unicode normal
 * form; the caller selects one of the two by its exact spelling.
 */
export function preferSpelling<Thing>(
  name: string,
  matches: readonly Thing[],
  namesOf: (thing: Thing) => readonly string[],
): readonly Thing[] {
  const wanted = name.toLowerCase();
  const spelled = matches.filter((thing) => namesOf(thing).some((each) => each.toLowerCase() === wanted));
  return spelled.length > 0 ? spelled : matches;
}

/**
 * Map from names to values that ignores case and Unicode normal form. Two names that differ only in their normal form
 * keep separate values under their exact spellings.
 */
export class NameMap<Value> extends Map<string, Value> {
  readonly #folded = new Map<string, string>();

  constructor(entries: Iterable<readonly [string, Value]> = []) {
    super();
    for (const [name, value] of entries) this.set(name, value);
  }

  #keyOf(name: string): string {
    const key = name.toLowerCase();
    return super.has(key) ? key : (this.#folded.get(toComparableName(name)) ?? key);
  }

  override get(name: string): Value | undefined {
    return super.get(this.#keyOf(name));
  }

  override has(name: string): boolean {
    return super.has(this.#keyOf(name));
  }

  override set(name: string, value: Value): this {
    const [key, folded] = [name.toLowerCase(), toComparableName(name)];
    if (!this.#folded.has(folded)) this.#folded.set(folded, key);
    return super.set(key, value);
  }

  override delete(name: string): boolean {
    const key = this.#keyOf(name);
    this.#folded.delete(toComparableName(name));
    const deleted = super.delete(key);
    for (const twin of super.keys())
      if (toComparableName(twin) === toComparableName(name)) this.#folded.set(toComparableName(name), twin);
    return deleted;
  }
}

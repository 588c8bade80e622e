/** Hostile request with a reason. Every request except those of strangers has a valid credential. */
export interface HostileProbe {
  name: string;
  body: string;
  type?: string;
  method?: string;
  /** Query string of a GET request. */
  search?: string;
  stranger?: true;
}

const asked = (query: string, variables?: unknown): string => JSON.stringify({ query, variables });
const times = (count: number, each: (at: number) => string, by = " "): string =>
  Array.from({ length: count }, (_, at) => each(at)).join(by);
const nested = (count: number, open: string, close = "}"): string => open.repeat(count) + close.repeat(count);

/**
 * Document in which each fragment spreads the next fragment twice: 2^60 times the same field. Harmless, because the
 * fields merge; the server responds immediately.
 */
export const DOUBLING_DOCUMENT = `{ ...f0 } ${times(60, (at) => `fragment f${at} on Query { ...f${at + 1} ...f${at + 1} }`)} fragment f60 on Query { __typename }`;
/** The same doubling through fields with aliases, which cannot be merged. */
const branching = `{ viewer { ...f0 } } ${times(
  40,
  (at) => `fragment f${at} on User { a: organization { users(first: 1) { nodes { ...f${at + 1} } } }
  b: organization { users(first: 1) { nodes { ...f${at + 1} } } } }`,
)} fragment f40 on User { id }`;
/** Fields with the same key, whose selections the server must compare pair by pair. */
const overlapping = `{ ${times(600, () => "viewer { id } viewer { name }")} }`;
const eightyKilobytes = `{ ...a } fragment a on Query { ${times(9_000, (at) => `...a${at % 7}`)} }`;

const introspection = `{ __schema { types { ${nested(8, "fields { type { fields { type { ofType { ")} } } }`.replaceAll(
  "{ }",
  "{ name }",
);

/**
 * Requests of security scanners: OWASP's cheat sheet, graphql-cop, and documents that took seconds in other servers.
 */
export const PROBES: readonly HostileProbe[] = [
  { name: "101 aliases", body: asked(`{ ${times(101, (at) => `a${at}: __typename`)} }`) },
  { name: "1,000 aliased root fields", body: asked(`{ ${times(1_000, (at) => `a${at}: viewer { id }`)} }`) },
  { name: "500 times the same field", body: asked(`{ ${times(500, () => "__typename")} }`) },
  { name: "1,000 directives on a field", body: asked(`{ __typename ${times(1_000, () => "@aa")} }`) },
  { name: "400 directives that exist", body: asked(`{ __typename ${times(400, () => "@skip(if: false)")} }`) },
  { name: "a batch", body: JSON.stringify(Array.from({ length: 10 }, () => ({ query: "{ __typename }" }))) },
  { name: "introspection in circles", body: asked(introspection) },
  {
    name: "300 levels deep",
    body: asked(`{ issue(id: "ENG-1") ${nested(300, "{ parent ")} }`.replace("{ }", "{ id }")),
  },
  { name: "100,000 braces", body: asked("{a".repeat(100_000)) },
  { name: "fragments in a circle", body: asked("{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }") },
  { name: "fragments that branch", body: asked(branching) },
  { name: "fields to compare pair by pair", body: asked(overlapping) },
  { name: "80 KB of fragment spreads", body: asked(eightyKilobytes) },
  {
    name: "lists of lists of lists",
    body: asked("{ teams { nodes { issues { nodes { comments { nodes { id } } } } } } }"),
  },
  { name: "a document of 4 MB of spaces", body: asked(`{${" ".repeat(4_000_000)}} }`) },
  { name: "a comment of 4 MB", body: asked(`# ${"x".repeat(4_000_000)}`) },
  { name: "a string of 4 MB", body: asked(`{ issue(id: """${"x".repeat(4_000_000)}""") { nonsense } }`) },
  { name: "500 KB of commas", body: asked(`{${",".repeat(500_000)}a}`) },
  { name: "a body over 4 MiB", body: asked(`{ __typename } # ${"x".repeat(4_200_000)}`) },
  {
    name: "variables nested 1,000,000 deep",
    body: `{"query":"{ __typename }","variables":{"a":${"[".repeat(1e6)}${"]".repeat(1e6)}}}`,
  },
  {
    name: "1,300,000 empty objects",
    body: `{"query":"{ __typename }","variables":{"a":[${"{},".repeat(1_300_000)}{}]}}`,
  },
  {
    name: "450,000 keys",
    body: `{"query":"{ __typename }","variables":{${times(450_000, (at) => `"${at.toString(36)}":0`, ",")}}}`,
  },
  {
    name: "a filter of 9,000 values",
    body: asked("query ($f: IssueFilter) { issues(filter: $f) { nodes { id } } }", {
      f: { title: { in: Array.from({ length: 9_000 }, (_, at) => `${at}`) } },
    }),
  },
  {
    name: "a filter of 1,000 comparisons",
    body: asked("query ($f: IssueFilter) { issues(filter: $f) { nodes { id } } }", {
      f: { or: Array.from({ length: 1_000 }, () => ({ title: { contains: "%" } })) },
    }),
  },
  {
    name: "a mutation by GET",
    body: "",
    method: "GET",
    search: `?query=${encodeURIComponent('mutation { issueDelete(id: "ENG-1") { success } }')}`,
  },
  { name: "a form", body: "query={__typename}", type: "application/x-www-form-urlencoded" },
  { name: "plain text", body: asked("{ __typename }"), type: "text/plain" },
  { name: "a stranger's typing error", body: asked("{ __schema { directive } isue }"), stranger: true },
  { name: "a stranger's introspection", body: asked("{ __schema { types { name } } }"), stranger: true },
  { name: "a stranger's trivial query", body: asked("{ __typename }"), stranger: true },
];

export const sendProbe = (url: string, authorization: string, probe: HostileProbe): Promise<Response> =>
  fetch(`${url}/graphql${probe.search ?? ""}`, {
    method: probe.method ?? "POST",
    headers: {
      "Content-Type": probe.type ?? "application/json",
      ...(!probe.stranger && { Authorization: authorization }),
    },
    ...(probe.body && { body: probe.body }),
  });

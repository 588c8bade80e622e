/** How one kind of agent is told where to send. */
export interface Snippet {
  id: string;
  name: string;
  text: string;
  hint: string;
}

/** What a shell takes as it stands between single quotes. */
const quoted = (value: unknown): string => JSON.stringify(value).replaceAll("'", "'\\''");

const uuid = (): string => {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
};

/** The event that the snippet sends, and that the test button sends. */
export const exampleEvent = () => ({
  event_id: uuid(),
  session_id: uuid(),
  primitive_name: "my-agent",
  args: "What broke the build?",
  result: "A missing import in the parser.",
});

/** What to paste, by the way it is sent. */
export function snippets(url: string, key: string): Snippet[] {
  return [
    {
      id: "curl",
      name: "curl",
      text: `curl -X POST ${url}/api/v1/capture-events -H 'content-type: application/json' \\
  -H 'x-api-key: ${key}' \\
  -d '${quoted({ events: [exampleEvent()] })}'`,
      hint: "One POST, from any language. Paste it into a terminal: the event below arrives at once.",
    },
  ];
}

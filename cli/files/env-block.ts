const lines = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
const begin = (agent: string) => `# >>> trackway connect ${agent}`;
const end = (agent: string) => `# <<< trackway connect ${agent}`;

/** Adds variables to a text of `NAME=value` lines, between two marks. A variable that is set there already stays as it is. */
export function addBlock(text: string, agent: string, variables: Record<string, string>): string {
  const without = removeBlock(text, agent);
  const isSet = (name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, "m").test(without);
  const wanted = Object.entries(variables).filter(([name]) => !isSet(name));
  if (wanted.length === 0) return without;
  const block = [begin(agent), ...wanted.map(([name, value]) => `${name}=${value}`), end(agent)].join("\n");
  return `${lines(without)}${block}\n`;
}

/** Takes the marked lines out. */
export function removeBlock(text: string, agent: string): string {
  const from = text.indexOf(`${begin(agent)}\n`);
  const mark = `${end(agent)}\n`;
  const to = text.indexOf(mark, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + mark.length);
}

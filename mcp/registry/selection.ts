import { TOOLSETS, type Tool, type Toolset } from "./define-tool.ts";
import { TOOLS } from "./tools.ts";

/** Which tools are wanted, as a process or a request says it. Nothing named means no opinion. */
export interface ToolSelection {
  toolsets: Toolset[] | undefined;
  tools: string[] | undefined;
  readOnly: boolean;
}

interface Wish {
  toolsets?: string[] | undefined;
  tools?: string[] | undefined;
  readOnly?: boolean;
}

const DEFAULT: Toolset[] = ["core", "sessions"];

/**
 * Checks the names of a wish. `all` stands for every toolset.
 * @throws Error naming what is unknown and what there is.
 */
export function parseSelection({ toolsets, tools, readOnly = false }: Wish): ToolSelection {
  const sets = toolsets?.includes("all") ? [...TOOLSETS] : toolsets;
  const badSet = sets?.find((name) => !(TOOLSETS as readonly string[]).includes(name));
  if (badSet !== undefined) throw new Error(`Unknown toolset "${badSet}"; there are ${TOOLSETS.join(", ")} and all.`);
  const badTool = tools?.find((name) => !TOOLS.has(name));
  if (badTool !== undefined) throw new Error(`Unknown tool "${badTool}"; there are ${[...TOOLS.keys()].join(", ")}.`);
  return { toolsets: sets as Toolset[] | undefined, tools, readOnly };
}

/**
 * The tools one client sees: what the request asks for (else the process, else the default toolsets), never more than
 * the process allows. So a request may only narrow.
 */
export function selectTools(
  allowedTools: ToolSelection,
  request: ToolSelection,
  hasIngestKey: boolean,
): Map<string, Tool> {
  const shown = named(request) ? request : named(allowedTools) ? allowedTools : { ...allowedTools, toolsets: DEFAULT };
  const readOnly = allowedTools.readOnly || request.readOnly;
  const seen = [...TOOLS.values()].filter(
    (tool) =>
      (!named(allowedTools) || names(allowedTools, tool)) &&
      names(shown, tool) &&
      (!readOnly || tool.readOnly) &&
      (!tool.needsIngestKey || hasIngestKey),
  );
  return new Map(seen.map((tool) => [tool.name, tool]));
}

const named = ({ toolsets, tools }: ToolSelection) => toolsets !== undefined || tools !== undefined;

const names = ({ toolsets, tools }: ToolSelection, tool: Tool) =>
  Boolean(toolsets?.includes(tool.toolset) || tools?.includes(tool.name));

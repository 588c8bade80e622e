import { DEFAULT_TOOLSETS, TOOLSETS, type Tool, type Toolset } from "./define-tool.ts";
import { TOOLS } from "./tools.ts";

/** Tools that a process or a request selects. If neither toolsets nor tools are given, the default applies. */
export interface ToolSelection {
  toolsets: Toolset[] | undefined;
  tools: string[] | undefined;
  readOnly: boolean;
  /** True if tools must not change the tracker. Tools that record what an agent did stay available. */
  readOnlyTracker?: boolean;
}

interface SelectionInput {
  toolsets?: string[] | undefined;
  tools?: string[] | undefined;
  readOnly?: boolean;
}

/**
 * Checks the names of a selection. `all` selects every toolset.
 * @throws Error that names the unknown name and the valid names
 */
export function parseSelection({ toolsets, tools, readOnly = false }: SelectionInput): ToolSelection {
  const requested = toolsets?.includes("all") ? [...TOOLSETS] : toolsets;
  const badSet = requested?.find((name) => !(TOOLSETS as readonly string[]).includes(name));
  if (badSet !== undefined) throw new Error(`Unknown toolset "${badSet}"; there are ${TOOLSETS.join(", ")} and all.`);
  const badTool = tools?.find((name) => !TOOLS.has(name));
  if (badTool !== undefined) throw new Error(`Unknown tool "${badTool}"; there are ${[...TOOLS.keys()].join(", ")}.`);
  return { toolsets: requested as Toolset[] | undefined, tools, readOnly };
}

/**
 * Returns the tools that one client sees. The selection of the request applies first, then the selection of the
 * process, then the default toolsets. A request can only reduce the tools that the process allows.
 */
export function selectTools(
  allowedTools: ToolSelection,
  request: ToolSelection,
  hasIngestKey: boolean,
): Map<string, Tool> {
  const selection = hasNames(request)
    ? request
    : hasNames(allowedTools)
      ? allowedTools
      : { ...allowedTools, toolsets: [...DEFAULT_TOOLSETS] };
  const readOnly = allowedTools.readOnly || request.readOnly;
  const tools = [...TOOLS.values()].filter(
    (tool) =>
      (!hasNames(allowedTools) || includes(allowedTools, tool)) &&
      includes(selection, tool) &&
      (!readOnly || tool.readOnly) &&
      (!request.readOnlyTracker || tool.readOnly || tool.needsIngestKey) &&
      (!tool.needsIngestKey || hasIngestKey),
  );
  return new Map(tools.map((tool) => [tool.name, tool]));
}

const hasNames = ({ toolsets, tools }: ToolSelection) => toolsets !== undefined || tools !== undefined;

const includes = ({ toolsets, tools }: ToolSelection, tool: Tool) =>
  Boolean(toolsets?.includes(tool.toolset) || tools?.includes(tool.name));

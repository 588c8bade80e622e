import { homedir } from "node:os";
import { join } from "node:path";

/** The folders and environment of the one who runs the command. */
export interface Places {
  home: string;
  /** Trackway's own settings and keys, readable by their owner alone. */
  config: string;
  /** The folder of desktop programs' settings on this system. */
  applications: string;
  env: NodeJS.ProcessEnv;
}

/** Reads them from the environment; a variable that is empty or no absolute path counts as unset, as XDG says. */
export function placesOf(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): Places {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  const xdg = env["XDG_CONFIG_HOME"]?.startsWith("/") ? env["XDG_CONFIG_HOME"] : join(home, ".config");
  return { home, config: join(xdg, "trackway"), applications: applicationsOf(home, xdg, env, platform), env };
}

function applicationsOf(home: string, xdg: string, env: NodeJS.ProcessEnv, platform: string): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(home, "AppData", "Roaming");
  return xdg;
}

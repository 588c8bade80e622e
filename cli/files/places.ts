import { join } from "node:path";
import { findHomeFolder } from "../../system/places.ts";
import { CommandFailure } from "../failure.ts";

/** Folders and environment of the user. */
export interface UserEnvironment {
  home: string;
  /** Folder of Trackway's settings and keys. Only the owner of the folder can read the folder. */
  config: string;
  /** Folder of the settings of desktop programs on this system. */
  applications: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Finds the user's folders from environment variables. An XDG variable that is empty or contains a relative path counts
 * as unset, as the XDG specification requires. Each folder is computed only when a command uses the folder, because a
 * container may have no home folder and most commands need none.
 */
export function readUserEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  platform: string = process.platform,
): UserEnvironment {
  const xdg = env["XDG_CONFIG_HOME"]?.startsWith("/") ? env["XDG_CONFIG_HOME"] : undefined;
  const home = () => findHomeFolder(env) ?? noHome();
  const settings = () => xdg ?? join(home(), ".config");
  return {
    get home() {
      return home();
    },
    get config() {
      return join(settings(), "trackway");
    },
    get applications() {
      return applicationsOf(home(), settings(), env, platform);
    },
    env,
  };
}

/**
 * Returns true if the folder for Trackway's settings can be determined. Otherwise no login can be stored on this
 * machine.
 */
export const hasSettingsFolder = ({ env }: UserEnvironment): boolean =>
  env["XDG_CONFIG_HOME"]?.startsWith("/") === true || findHomeFolder(env) !== undefined;

function noHome(): never {
  throw new CommandFailure("This command needs a home folder, and this user has no home folder.", {
    cure: "set HOME=/some/folder and run the command again",
  });
}

function applicationsOf(home: string, xdg: string, env: NodeJS.ProcessEnv, platform: string): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(home, "AppData", "Roaming");
  return xdg;
}

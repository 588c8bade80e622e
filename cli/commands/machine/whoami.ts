import { Command } from "commander";
import { whoIs } from "../../api/graphql.ts";
import { loginOf } from "../../credentials/access.ts";
import { placesOf } from "../../files/places.ts";
import { answer } from "../../output/print.ts";
import { oneLine } from "../../output/safe.ts";

/** `trackway whoami`: whose key is used, and where. */
export const whoamiCommand = (): Command =>
  new Command("whoami")
    .description("say whose key is used, in which organization, on which server")
    .option("--json", "as JSON")
    .action(async ({ json }: { json?: true }) => {
      const login = await loginOf(placesOf());
      const { viewer, organization } = await whoIs(login);
      const line = `${viewer.name} <${viewer.email}> in ${organization.name} (${organization.urlKey}) at ${login.url}`;
      answer(json, { url: login.url, viewer, organization }, () => [oneLine(line)]);
    });

import { Command } from "commander";
import { endLogin } from "../credentials/end-login.ts";
import { forgetLogin, readLogin } from "../credentials/store.ts";
import { Failure } from "../failure.ts";
import { placesOf } from "../files/places.ts";

/** `trackway logout`: ends the login on the server, and forgets it here whether or not the server answers. */
export const logoutCommand = (): Command =>
  new Command("logout").description("end the login and forget it on this machine").action(run);

async function run(): Promise<void> {
  const places = placesOf();
  const login = await readLogin(places);
  if (!login) {
    process.stdout.write("Nobody was logged in.\n");
    return;
  }
  const left = await endLogin(places, login).catch((error: Error) => error);
  await forgetLogin(places);
  if (left)
    throw new Failure(`Forgotten here, but its key counts on (${left.message}).`, {
      cure: `delete it at ${login.url}/settings`,
    });
  process.stdout.write(`Logged out of ${login.url}.\n`);
}

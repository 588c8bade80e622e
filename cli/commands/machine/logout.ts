import { Command } from "commander";
import { endLogin } from "../../credentials/control.ts";
import { forgetLogin, readLogin } from "../../credentials/store.ts";
import { Failure } from "../../failure.ts";
import { placesOf } from "../../files/places.ts";
import { print } from "../../output/print.ts";

/** `trackway logout`: ends the login on the server, and forgets it here whether or not the server answers. */
export const logoutCommand = (): Command =>
  new Command("logout").description("end the login and forget it on this machine").action(run);

async function run(): Promise<void> {
  const places = placesOf();
  const login = await readLogin(places);
  if (!login) {
    print("Nobody was logged in.");
    return;
  }
  const left = await endLogin(places, login).catch((error: Error) => error);
  await forgetLogin(places);
  if (left)
    throw new Failure(`Forgotten here, but its key counts on (${left.message}).`, {
      cure: `delete it at ${login.url}/settings`,
    });
  print(`Logged out of ${login.url}.`);
}

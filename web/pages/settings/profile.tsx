import { currentLogin, signOut } from "../../data/session.ts";
import { areSingleKeyShortcutsEnabled, setSingleKeyShortcutsEnabled } from "../../shell/keys.ts";
import { SettingsPageHeader } from "./parts.tsx";

/** Profile of the signed-in user. */
export const ProfileSettings = () => {
  const who = currentLogin.value;
  return (
    <>
      <SettingsPageHeader
        title="Profile"
        action={
          <button class="btn" type="button" onClick={signOut}>
            Sign out of this browser
          </button>
        }
      >
        Your profile in {who?.organization?.name}.
      </SettingsPageHeader>
      <dl class="kv">
        <dt>Name</dt>
        <dd>
          <bdi>{who?.user.name}</bdi>
        </dd>
        <dt>Email</dt>
        <dd>
          <bdi>{who?.user.email}</bdi>
        </dd>
        <dt>Role</dt>
        <dd>{who?.organization?.role}</dd>
      </dl>
      <nav class="only-thin row" aria-label="More pages">
        <a class="btn" href="/users">
          Users
        </a>
        <a class="btn" href="/connect">
          Connect an agent
        </a>
      </nav>
      <label class="row">
        <input
          type="checkbox"
          checked={areSingleKeyShortcutsEnabled.value}
          onChange={(event) => setSingleKeyShortcutsEnabled(event.currentTarget.checked)}
        />
        Use single-key shortcuts, such as J and K, in this browser
      </label>
    </>
  );
};

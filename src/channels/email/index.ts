import type { Receipt } from "../../core/delivery/receipt.ts";
import type { Channel } from "../../ports/channel.ts";
import { withoutSecrets } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { guarded } from "../kit/guard.ts";
import { plain } from "../kit/plain.ts";
import { shorten } from "../kit/shorten.ts";
import { type Server, type ServerSecrets, serverOf } from "./server.ts";
import { type EmailSettings, emailSettings } from "./settings.ts";
import type { Transmitted } from "./transmit.ts";

/** Bad sequence of commands: it says something of the connection, and nothing of the mail. */
const BAD_SEQUENCE = 503;
const LONGEST_REASON = 200;

/** The advice about a refusal, by the error code. */
const ADVICE: Readonly<Record<string, (place: string) => string>> = {
  EAUTH: (place) => `check the user, and the password in ${place}`,
  ETLS: () => "the mail server does not encrypt, and Rollcall sends no password unencrypted; try port 465",
};

export const emailChannel: ChannelAdapter<typeof emailSettings> = {
  kind: "email",
  settings: emailSettings,
  open: (settings, { secretIfNamed }) =>
    openEmail(settings, { url: secretIfNamed("url"), password: secretIfNamed("password") }),
};

/** Mail by SMTP. */
function openEmail(settings: EmailSettings, secrets: ServerSecrets): Channel {
  const { from } = settings;
  const to = [settings.to].flat();
  return guarded("email", async (dispatch) => {
    const server = await serverOf(settings, secrets);
    if ("problem" in server) return { outcome: "retry", problem: server.problem };
    // The library is loaded with the first mail: every command reads the settings of channels, and hardly any sends one.
    const [{ mail }, { transmit }] = await Promise.all([import("./mail.ts"), import("./transmit.ts")]);
    const raw = await mail(dispatch, { from, to });
    const transmitted = await transmit(server, { from, to }, raw, dispatch.abort);
    return receiptOf(transmitted, server, to.length);
  });
}

function receiptOf(transmitted: Transmitted, server: Server, recipients: number): Receipt {
  if ("rejected" in transmitted) {
    const { rejected, refusal } = transmitted;
    if (rejected.length === 0) return { outcome: "sent" };
    // To send it again would tell the others twice.
    const note = `${rejected.length} of ${recipients} recipients were not accepted${said(refusal, server)}`;
    return { outcome: "sent", note };
  }
  const { code, status, response } = transmitted;
  const reason = said(response, server);
  if (status === undefined) {
    return {
      outcome: "retry",
      problem: `${code}: cannot talk to the mail server; check host and port${reason}`,
    };
  }
  if (status < 500 || status === BAD_SEQUENCE) {
    return { outcome: "retry", problem: `${status}: the mail server does not accept it now${reason}` };
  }
  const advice = ADVICE[code]?.(server.place) ?? "the mail server refused it; check from, to and the account";
  return { outcome: "refused", problem: `${status}: ${advice}${reason}` };
}

function said(response: string | undefined, { login }: Server): string {
  if (response === undefined) return "";
  const secrets = login === undefined ? [] : [login.pass, base64(`\0${login.user}\0${login.pass}`)];
  const text = shorten(plain(withoutSecrets(response, secrets)), LONGEST_REASON);
  return text === "" ? "" : ` (${text})`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

import { expect, onTestFinished, test } from "vitest";
import {
  type Case,
  type ChannelUnderTest,
  channelContract,
  dispatch,
  UNSEEN,
} from "../../ports/channel.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";
import { FakeSmtp, type Said, type Stage } from "./fake-smtp.fixture.ts";

const PASSWORD = "pa55-of-the-account";
const LOGIN = Buffer.from(`\0bot\0${PASSWORD}`).toString("base64");
const ADDRESSES = { kind: "email", from: "rollcall@example.org", to: "me@example.org" };

interface Under extends ChannelUnderTest {
  readonly fake: FakeSmtp;
}

const open = (port: number, more: object = {}) =>
  opened(
    { ...ADDRESSES, host: "127.0.0.1", port, user: "bot", passwordEnv: "MAIL_PASSWORD", ...more },
    { MAIL_PASSWORD: PASSWORD },
  );

async function started(): Promise<{ fake: FakeSmtp; port: number }> {
  const fake = new FakeSmtp();
  onTestFinished(() => fake.stop());
  return { fake, port: await fake.start() };
}

const says = (stage: Stage, said: Said, name = `says ${said} at ${stage}`): Case<Under> => ({
  name,
  far: ({ fake }) => {
    fake.says[stage] = said;
  },
});

/** Quoted-printable and base64 parts of a mail, decoded. */
function decoded(mail: string): string {
  return mail.split(/\n(?=----)/).reduce((all, part) => {
    const [head = "", ...body] = part.split("\n\n");
    const text = body.join("\n\n");
    if (/encoding: base64/i.test(head)) return `${all}${head}\n\n${Buffer.from(text, "base64")}`;
    if (!/encoding: quoted-printable/i.test(head)) return `${all}${part}`;
    const bytes = text
      .replaceAll("=\n", "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return `${all}${head}\n\n${Buffer.from(bytes, "latin1")}`;
  }, "");
}

channelContract<Under>(
  "email",
  async () => {
    const fake = new FakeSmtp();
    const port = await fake.start();
    return {
      fake,
      channel: open(port),
      secrets: [PASSWORD, LOGIN],
      heard: () => fake.mails.map(decoded),
      cleanUp: () => fake.stop(),
    };
  },
  {
    sent: [says("END", "250 queued"), says("AUTH", "235 2.7.0 ok")],
    retry: [
      says("greeting", "421 too busy"),
      says("AUTH", "454 not now"),
      says("MAIL", "451 try later"),
      says("RCPT", "450 greylisted"),
      says("DATA", "452 full"),
      says("END", "451 local error"),
      says("DATA", "503 bad sequence"),
      says("greeting", "hang up"),
      says("END", "hang up"),
      says("greeting", "\u0000 what?", "talks rubbish"),
      says("greeting", "HTTP/1.1 400 Bad Request", "speaks HTTP"),
      { name: "does not listen", far: ({ fake }) => fake.stop() },
    ],
    refused: [
      {
        ...says("AUTH", "535 wrong password"),
        says: "535: check the user, and the password in MAIL_PASSWORD",
      },
      {
        ...says("AUTH", (line) => `535 no: ${line} ${PASSWORD}`, "repeats the password"),
        says: "535: check the user",
      },
      {
        ...says("MAIL", "550 who are you?"),
        says: "check from, to and the account (550 who are you?)",
      },
      { ...says("RCPT", "550 no such user"), says: "550: " },
      { ...says("END", "554 spam"), says: "554: " },
    ],
    hang: {
      ...says("DATA", "silence"),
      reached: async ({ fake }) => void (await fake.reached),
      left: async ({ fake }) => void (await fake.left),
    },
    harmless({ fake }) {
      const [raw = ""] = fake.mails;
      const [head = ""] = raw.split("\n\n");
      expect(head).not.toMatch(/^Bcc:/im);
      expect(fake.lines.filter((line) => /^RCPT/i.test(line))).toEqual(["RCPT TO:<me@example.org>"]);
      expect(raw.length).toBeLessThan(200_000);
      const mail = decoded(raw);
      expect(mail).not.toMatch(UNSEEN);
      const html = mail.slice(mail.indexOf("<p>"));
      const tags = new Set(html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/ href="[^"<>]*"/, "")));
      for (const tag of tags) expect(tag).toMatch(/^<\/?(?:p|b|div|pre|a)>$/);
      expect(html).not.toContain('href="javascript');
    },
  },
);

test("a mail has a subject, a text, the same as HTML, and an id from its key", async () => {
  const { fake, port } = await started();
  expect(await open(port).send(dispatch())).toEqual({ outcome: "sent" });
  const mail = decoded(fake.mails[0] ?? "");
  expect(mail).toMatch(/^Subject: Warning: builder is stalled$/m);
  expect(mail).toMatch(/^Message-ID: <incident-7f3a\.telling-1@example\.org>$/m);
  expect(mail).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(mail).toMatch(/^Date: Sun, 01 Mar 2026 12:00:00 \+0000$/m);
  expect(mail).toContain("⚠️ builder is stalled\n\nsince 12:00 (23 min)\n");
  expect(mail).toContain("<pre>rollcall peek builder</pre>");
  expect(mail).toContain('<a href="http://127.0.0.1:7766/agents/builder">');
});

test("one address may hold it all, and is told by its place alone", async () => {
  const { fake, port } = await started();
  const channel = (value: string) => opened({ ...ADDRESSES, urlEnv: "SMTP" }, { SMTP: value });
  const good = `smtp://bot:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  expect(await channel(good).send(dispatch())).toEqual({ outcome: "sent" });
  expect(fake.lines).toContain(`AUTH PLAIN ${LOGIN}`);
  for (const bad of ["bot:s3cret@host", "https://bot:s3cret@host", "smtp://%ff:s3cret@host"]) {
    expect(await channel(bad).send(dispatch())).toEqual({
      outcome: "retry",
      problem: "SMTP does not contain an address such as smtps://user:password@host:465",
    });
  }
});

test("a password is not sent over the network without encryption", async () => {
  const { fake, port } = await started();
  // Another name of this machine, which nobody can know to be that.
  const receipt = await open(port, { host: "0.0.0.0" }).send(dispatch());
  expect(receipt).toMatchObject({
    outcome: "refused",
    problem: expect.stringContaining("does not encrypt, and Rollcall sends no password unencrypted"),
  });
  expect(fake.lines.join()).not.toContain("AUTH");
});

test("a server without an account is not logged in to", async () => {
  const { fake, port } = await started();
  const channel = opened({ ...ADDRESSES, to: ["a@example.org", "b@example.org"], host: "127.0.0.1", port });
  expect(await channel.send(dispatch())).toEqual({ outcome: "sent" });
  expect(fake.lines.join()).not.toContain("AUTH");
});

test("one recipient of two who is not accepted is a note, for the other one was told", async () => {
  const { fake, port } = await started();
  fake.says.RCPT = (line) => (line.includes("b@") ? "550 unknown" : "250 ok");
  const channel = open(port, { to: ["a@example.org", "b@example.org"] });
  expect(await channel.send(dispatch())).toEqual({
    outcome: "sent",
    note: "1 of 2 recipients were not accepted (550 unknown)",
  });
});

test("nobody who listens is told with the words of the system", async () => {
  const { fake, port } = await started();
  await fake.stop();
  expect(await open(port).send(dispatch())).toEqual({
    outcome: "retry",
    problem: `ESOCKET: cannot talk to the mail server; check host and port (connect ECONNREFUSED 127.0.0.1:${port})`,
  });
});

import { useEffect, useState } from "preact/hooks";
import { link, roll } from "./api/live.ts";
import { signedIn, signIn, signOut } from "./api/session.ts";
import { Bell } from "./attention/bell.tsx";
import { pageName } from "./attention/title.ts";
import { useKeys } from "./kit/keys.ts";
import { lazy } from "./kit/lazy.tsx";
import { useValue } from "./kit/observable.ts";
import { go, Link, usePlace } from "./kit/router.tsx";
import { nextTheme, theme } from "./kit/theme.ts";
import { Empty } from "./parts/empty.tsx";
import { Help } from "./parts/help.tsx";
import { LinkWord, Trouble } from "./parts/link-state.tsx";
import { Notice } from "./parts/notice.tsx";
import { HowToOpen, SignIn } from "./parts/sign-in.tsx";
import { RollPage } from "./roll/page.tsx";

const AgentPage = lazy(async () => (await import("./agent/page.tsx")).AgentPage);
const IncidentPage = lazy(async () => (await import("./incidents/incident.tsx")).IncidentPage);
const IncidentsPage = lazy(async () => (await import("./incidents/page.tsx")).IncidentsPage);
const HostsPage = lazy(async () => (await import("./hosts/page.tsx")).HostsPage);
const SchedulePage = lazy(async () => (await import("./schedule/page.tsx")).SchedulePage);
const TicksPage = lazy(async () => (await import("./ticks/page.tsx")).TicksPage);
const DeliveriesPage = lazy(async () => (await import("./deliveries/page.tsx")).DeliveriesPage);
const SettingsPage = lazy(async () => (await import("./settings/page.tsx")).SettingsPage);

const PAGES = [
  ["/", "Roll", "r", RollPage],
  ["/incidents", "Incidents", "i", IncidentsPage],
  ["/hosts", "Hosts", "h", () => <HostsPage heading />],
  ["/schedule", "Schedule", "s", SchedulePage],
  ["/ticks", "Ticks", "t", TicksPage],
  ["/deliveries", "Deliveries", "d", DeliveriesPage],
  ["/settings", "Settings", ",", SettingsPage],
] as const;

export function App() {
  const [help, setHelp] = useState(false);
  const { parts } = usePlace();
  const { is } = useValue(link);
  useKeys({
    "?": () => setHelp(true),
    ...Object.fromEntries(PAGES.map(([to, , key]) => [key, () => go(to)])),
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header onHelp={() => setHelp(true)} />
      <Trouble />
      <main id="main" tabIndex={-1}>
        {is === "locked" ? <Locked /> : <Page parts={parts} />}
      </main>
      <Notice />
      <SignIn />
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function Locked() {
  return (
    <div class="empty">
      <h1 class="empty-title">Sign in to see the roll</h1>
      <HowToOpen />
      <button type="button" class="primary" onClick={() => void signIn()}>
        Sign in with a token
      </button>
    </div>
  );
}

function Page({ parts }: { parts: readonly string[] }) {
  const [first = "", id] = parts;
  const [, name, , Shown] = PAGES.find(([to]) => to === `/${first}`) ?? [];
  useEffect(() => {
    const what = name ?? (first === "agents" ? undefined : first);
    pageName.set([id, what, "Rollcall"].filter(Boolean).join(" · "));
  }, [first, id, name]);
  if (first === "agents" && id !== undefined) return <AgentPage key={id} id={id} />;
  if (first === "incidents" && id !== undefined) return <IncidentPage key={id} id={id} />;
  if (Shown !== undefined) return <Shown />;
  return (
    <Empty heading title="There is no such page.">
      <Link to="/">Back to the roll</Link>
    </Empty>
  );
}

function Header({ onHelp }: { onHelp: () => void }) {
  const { parts } = usePlace();
  const { watcher } = useValue(roll);
  const shade = useValue(theme);
  const known = useValue(signedIn);
  const first = `/${parts[0] ?? ""}`;
  return (
    <header class="top">
      <Link to="/" class="brand" label="Rollcall, the roll">
        Rollcall
      </Link>
      <nav aria-label="Pages">
        {PAGES.filter(([to]) => to !== "/hosts" || watcher?.hub === true).map(([to, name]) => (
          <Link key={to} to={to} current={first === to || (to === "/" && first === "/agents")}>
            {name}
          </Link>
        ))}
      </nav>
      <div class="top-right">
        <LinkWord />
        {watcher !== undefined && (
          <span class="host" title={`version ${watcher.version}, home ${watcher.home}`}>
            {watcher.host}
          </span>
        )}
        <button type="button" class="plain" onClick={() => void (known ? signOut() : signIn())}>
          {known ? "Sign out" : "Sign in"}
        </button>
        <Bell />
        <button type="button" class="plain" onClick={nextTheme} aria-label={`colours: ${shade}; change`}>
          {{ system: "◐", light: "☀", dark: "☾" }[shade]}
        </button>
        <button type="button" class="plain" onClick={onHelp} aria-label="keys and states">
          ?
        </button>
      </div>
    </header>
  );
}

import { render } from "preact";
import { connect, keepAsking, link } from "./api/live.ts";
import { findSession, signedIn } from "./api/session.ts";
import { App } from "./app.tsx";
import "./style/main.css";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
void connect();
void findSession();
// Away from loopback nothing can be read before somebody signs in.
signedIn.watch((is) => {
  if (is && link.value.is === "down") void connect();
});
keepAsking();

import { render } from "preact";
import { connect, keepAsking, leaveWhenPutAway } from "./api/live.ts";
import { App } from "./app.tsx";
import { notifyOfTrouble } from "./attention/notify.ts";
import { showInTitle } from "./attention/title.ts";
import "./style/main.css";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
void connect();
keepAsking();
leaveWhenPutAway();
showInTitle();
notifyOfTrouble();

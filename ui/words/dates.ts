/** A sentence that was kept names instants in UTC; a reader wants them on the clock at hand, with the day unless it is today. */
export function onThisClock(text: string, now: number): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => {
    const at = new Date(instant);
    const isToday = at.toDateString() === new Date(now).toDateString();
    const time = at.toTimeString().slice(0, 8);
    return isToday ? time : `${at.toLocaleDateString("sv-SE")} ${time}`;
  });
}

/** The hour of an instant, and at midnight the day. */
export function sayHour(at: number): string {
  const date = new Date(at);
  const time = date.toTimeString().slice(0, 5);
  return time === "00:00" ? sayDay(at) : time;
}

export function sayDay(at: number): string {
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

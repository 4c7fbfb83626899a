/** A sentence that was kept names instants in UTC; a reader wants them on the clock at hand, with the day unless it is today. */
export function onThisClock(text: string, now: number): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (instant) => {
    const at = new Date(instant);
    const isToday = at.toDateString() === new Date(now).toDateString();
    const time = at.toTimeString().slice(0, 8);
    return isToday ? time : `${at.toLocaleDateString("sv-SE")} ${time}`;
  });
}

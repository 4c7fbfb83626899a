import type { IncidentView } from "../api/shapes.ts";

/** The root-cause issue in the team's forge. Only addresses of the web become links: the forge's answer made them. */
export function IssueLink({ issue }: { issue: IncidentView["issue"] }) {
  if (issue === null) return null;
  const name = `${issue.forge} #${issue.number}`;
  if (!/^https?:\/\//.test(issue.url)) return <span class="tag">{name}</span>;
  return (
    <a class="tag" href={issue.url} target="_blank" rel="noreferrer noopener">
      {name} ↗
    </a>
  );
}

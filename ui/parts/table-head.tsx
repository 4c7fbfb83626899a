/** The head of a table; `numbers` are columns of numbers, and the name of `unseen` is for screen readers alone. */
export function TableHead(props: {
  columns: readonly string[];
  numbers?: readonly string[];
  unseen?: string;
}) {
  return (
    <thead>
      <tr>
        {props.columns.map((name) => (
          <th key={name} scope="col" class={props.numbers?.includes(name) ? "num" : undefined}>
            {name}
          </th>
        ))}
        {props.unseen !== undefined && (
          <th scope="col">
            <span class="hidden">{props.unseen}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

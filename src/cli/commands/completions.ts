import { Argument, Command } from "commander";
import { examples } from "../input/arguments.ts";
import { say } from "../output/terminal.ts";

/** Each asks `rollcall __complete` for the word at the cursor, and offers what it answers. */
const SCRIPTS = {
  bash: `_rollcall() {
  local line words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done < <(rollcall __complete "\${words[@]}" 2>/dev/null)
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _rollcall rollcall`,
  zsh: `#compdef rollcall
_rollcall() {
  local line
  local -a found
  while IFS= read -r line; do found+=("\${line%%$'\\t'*}:\${line#*$'\\t'}"); done < <(rollcall __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe rollcall found; else _files; fi
}
if [ "\${funcstack[1]}" = _rollcall ]; then _rollcall "$@"; else compdef _rollcall rollcall; fi`,
  fish: `function __rollcall_complete
  set -l words (commandline -opc)
  set -l found (rollcall __complete $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c rollcall -f -a '(__rollcall_complete)'`,
} as const;

export function completionsCommand(): Command {
  return new Command("completions")
    .description("print the script with which a shell completes commands, options and ids of agents")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `${examples("completions bash")}

How to install it:
  bash  add to ~/.bashrc:  source <(rollcall completions bash)
  zsh   add to ~/.zshrc:   source <(rollcall completions zsh)
  fish  rollcall completions fish >~/.config/fish/completions/rollcall.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => say(SCRIPTS[shell]));
}

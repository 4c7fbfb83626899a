/**
 * The program that plays an agent: `sh play.sh PART`. It ends with the process DEMO. Its screens look like those of coding
 * agents, so that Rollcall reads them as it reads real ones.
 * No `String.raw`: the bundle is ASCII, and escapes in a raw text stay escapes.
 */
export const SCRIPT = `part=$1
say() { printf '%b\\n' "$1"; }
box() { for row in "$@"; do printf '│ %-44s │\\n' "$row"; done; }
top='╭──────────────────────────────────────────────╮'
end='╰──────────────────────────────────────────────╯'
alive() {
  kill -0 "$DEMO" 2>/dev/null && return
  [ -n "$TMUX" ] && tmux kill-server
  exit 0
}
rest() { while alive; do sleep 1; done; }
n=0
case $part in
  working)
    while alive; do
      n=$((n + 1))
      say "● Edit(src/module-$n.ts)\\n  ⎿ Updated src/module-$n.ts with $((n * 3 % 17 + 1)) additions"
      i=0
      while [ $i -lt 8 ]; do
        printf '\\r✻ Refactoring… (%ss · ↑ %s tokens · esc to interrupt) ' $((n * 4 + i / 2)) $((n * 120 + i * 9))
        i=$((i + 1))
        sleep 0.5
      done
      printf '\\r\\033[K'
    done ;;
  asking)
    stty -icanon -echo min 0 time 10 2>/dev/null
    while alive; do
      n=$((n + 1))
      printf '\\033[2J\\033[H'
      say "● I am ready to publish version 2.4.$n.\\n"
      say "$top"
      box 'Bash command' "  npm run release -- --tag 2.4.$n" '' 'Do you want to proceed?'
      say '│ ❯ 1. Yes                                     │'
      box "  2. Yes, and don't ask again" '  3. No'
      say "$end"
      key=
      while [ -z "$key" ]; do
        alive
        if [ -t 0 ]; then key=$(dd bs=1 count=1 2>/dev/null); else sleep 1; fi
        case $key in [123]) ;; *) key= ;; esac
      done
      printf '\\033[2J\\033[H'
      say "● You chose $key.\\n"
      i=0
      while [ $i -lt 15 ]; do
        alive
        i=$((i + 1))
        printf '\\r✻ Preparing the next release… (%ss · ↑ %s tokens · esc to interrupt) ' $i $((i * 31))
        sleep 1
      done
    done ;;
  limited)
    say "● The tests of the parser pass.\\n\\n  You've hit your limit · resets 11pm\\n\\n$top"
    box '>'
    say "$end"
    rest ;;
  hung)
    say '● Read(package-lock.json)\\n'
    while alive; do
      for star in '✢' '✳' '✶' '✻' '✽'; do
        printf '\\r%s Thinking… (esc to interrupt) ' "$star"
        sleep 0.4
      done
    done ;;
  looping)
    while alive; do
      say "● Bash(npm test)\\n  ⎿ Error: Cannot find module './missing'\\n● I will run the tests again."
      sleep 1
    done ;;
  crashing)
    say '● Bash(python train.py)\\n'
    while [ $n -lt 10 ]; do
      alive
      n=$((n + 1))
      printf '\\r✻ Training… (%ss · ↑ %s tokens · esc to interrupt) ' $((n * 2)) $((n * 40))
      sleep 2
    done
    say '\\nTraceback (most recent call last):\\n  File "train.py", line 41, in <module>\\nMemoryError'
    exit 1 ;;
  beating)
    while alive; do
      n=$((n + 1))
      "$BEAT" mailer --cycle $n --action "sent newsletter $n"
      sleep 3
    done ;;
  silent)
    "$BEAT" scraper --action 'reading page 1 of 40'
    rest ;;
  failing)
    while alive; do
      "$BEAT" deployer --status error --message 'no space left on /srv'
      sleep 5
    done ;;
  sleeping)
    rest ;;
esac
`;

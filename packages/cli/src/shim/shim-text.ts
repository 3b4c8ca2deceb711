// The program that hooks run. With bash, it asks over TCP without starting a program; otherwise, and for what bash cannot do, it uses curl,
// which costs a quarter of starting Node.js. Every failure refuses, in a form that the harness accepts as a refusal.
import { askByBash } from './ask-by-bash.ts'

export interface ShimPlaces {
  /** Absolute, as `door`. None of them may hold a quote, a backslash or a line break. */
  readonly socket: string
  readonly door: string
  /** null: the shim is plain POSIX sh, and asks by curl alone. */
  readonly bash: string | null
  /** Fallback for machines without curl: Node.js and the file of the signalbox command. */
  readonly node: string
  readonly entry: string
  /** Seconds that the daemon may take; less than the hook's own time-out, after which some harnesses continue. */
  readonly maxSeconds: number
}

export function shimText({ socket, door, bash, node, entry, maxSeconds }: ShimPlaces): string {
  // Without -p the environment could put its own functions in the place of commands, or have a file run first.
  const shell = bash === null ? '/bin/sh' : `${bash} -p`
  const fed = bash === null ? '' : 'fed '
  return `#!${shell}
# Signalbox, written by "signalbox init": asks the daemon about one hook of a harness. Whatever fails in here refuses.
# Usage: ${'`'}daemon-hook <harness> [version]${'`'} with the hook's JSON on standard input.
socket='${socket}'
harness=\${1-}
version=\${2-}
seconds=${maxSeconds}

refuse() {
  if [ "$harness" = copilot ]; then
    printf '{"permissionDecision":"deny","permissionDecisionReason":"%s","decision":"block","reason":"%s"}\\n' "$1" "$1"
    exit 0
  fi
  printf '%s\\n' "$1" >&2
  exit 2
}
trap 'refuse "The hook of Signalbox was interrupted, so this is refused."' HUP INT TERM

# answered <status> <body>
answered() {
  [ "$1" = 200 ] || refuse "The Signalbox daemon answered with status $1, so this is refused."
  case $2 in
    '{}') ;;
    '{'*'}') printf '%s\\n' "$2" || refuse 'The answer of Signalbox could not be delivered, so this is refused.' ;;
    *) refuse 'The Signalbox daemon did not answer with JSON, so this is refused.' ;;
  esac
  exit 0
}
${bash === null ? '' : askByBash(door)}
ask() {
  exec curl -q --silent --noproxy '*' --max-time "$seconds" --unix-socket "$socket" \\
    --data-binary @- --header 'Content-Type: application/json' --header 'Expect:' \\
    --header "x-signalbox-agent: \${AI_AGENT-}" --header "traceparent: \${TRACEPARENT-}" \\
    --write-out '\\n%{http_code}' "http://localhost/hook/$harness?version=$version"
}

if ! command -v curl >/dev/null 2>&1; then
  ${fed}'${node}' '${entry}' hook "$harness" "$version" --socket "$socket" ||
    refuse 'Neither curl nor Node.js could ask the Signalbox daemon, so this is refused.'
  exit 0
fi

answer=$(${fed}ask)
case $? in
  0) ;;
  7) refuse "The Signalbox daemon does not answer on $socket, so this is refused. Start it: signalbox daemon --socket $socket" ;;
  28) refuse 'The Signalbox daemon did not answer in time, so this is refused.' ;;
  *) refuse 'The Signalbox daemon could not be asked, so this is refused.' ;;
esac
break='
'
answered "\${answer##*"$break"}" "\${answer%"$break"*}"
`
}

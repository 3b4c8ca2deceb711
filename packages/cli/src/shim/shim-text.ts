// The program that hooks run: asks the daemon by curl, which costs a quarter of starting Node.js. Plain POSIX sh. Whatever fails in it
// refuses, in the way that the harness takes for a no.

export interface ShimPlaces {
  /** Absolute. None of them may hold a quote, a backslash or a line break. */
  readonly socket: string
  /** For machines without curl: Node.js and the file of the signalbox command. */
  readonly node: string
  readonly entry: string
  /** Seconds that the daemon may take; less than the hook's own time-out, after which some harnesses go on. Absent: 595. */
  readonly maxSeconds?: number
}

export function shimText({ socket, node, entry, maxSeconds = 595 }: ShimPlaces): string {
  return `#!/bin/sh
# Signalbox, written by "signalbox init": asks the daemon about one hook of a harness. Whatever fails in here refuses.
# Usage: ${'`'}daemon-hook <harness> [version]${'`'} with the hook's JSON on standard input.
socket='${socket}'
harness=\${1-}
version=\${2-}

refuse() {
  if [ "$harness" = copilot ]; then
    printf '{"permissionDecision":"deny","permissionDecisionReason":"%s","decision":"block","reason":"%s"}\\n' "$1" "$1"
    exit 0
  fi
  printf '%s\\n' "$1" >&2
  exit 2
}
trap 'refuse "The hook of Signalbox was interrupted, so this is refused."' HUP INT TERM

ask() {
  exec curl -q --silent --noproxy '*' --max-time ${maxSeconds} --unix-socket "$socket" \\
    --data-binary @- --header 'Content-Type: application/json' --header 'Expect:' \\
    --header "x-signalbox-agent: \${AI_AGENT-}" --header "traceparent: \${TRACEPARENT-}" \\
    --write-out '\\n%{http_code}' "http://localhost/hook/$harness?version=$version"
}

if ! command -v curl >/dev/null 2>&1; then
  '${node}' '${entry}' hook "$harness" "$version" --socket "$socket" ||
    refuse 'Neither curl nor Node.js could ask the Signalbox daemon, so this is refused.'
  exit 0
fi

answer=$(ask)
case $? in
  0) ;;
  7) refuse "The Signalbox daemon does not answer on $socket, so this is refused. Start it: signalbox daemon --socket $socket" ;;
  28) refuse 'The Signalbox daemon did not answer in time, so this is refused.' ;;
  *) refuse 'The Signalbox daemon could not be asked, so this is refused.' ;;
esac
break='
'
status=\${answer##*"$break"}
body=\${answer%"$break"*}
[ "$status" = 200 ] || refuse "The Signalbox daemon answered with status $status, so this is refused."
case $body in
  '{}') ;;
  '{'*'}') printf '%s\\n' "$body" || refuse 'The answer of Signalbox could not be handed over, so this is refused.' ;;
  *) refuse 'The Signalbox daemon did not answer with JSON, so this is refused.' ;;
esac
exit 0
`
}

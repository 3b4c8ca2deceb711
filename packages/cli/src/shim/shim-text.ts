// With bash, the shim calls the daemon over TCP without starting another program. For what bash cannot do, it uses curl, which costs a
// quarter of starting Node.js. Every failure refuses, in a form that the harness accepts as a refusal.
import { type DaemonPaths, startCommand } from '../daemon/daemon-paths.ts'
import { ADDRESS_FORM } from '../daemon/shim-address.ts'

export interface ShimPlaces {
  /** No path may contain a quote, a backslash or a line break. */
  readonly paths: Pick<DaemonPaths, 'socket' | 'isDefault' | 'shimAddress'>
  /** null: the shim is plain POSIX sh, and uses only curl. */
  readonly bash: string | null
  /** For machines without curl. */
  readonly node: string
  readonly entry: string
  /** Seconds that the daemon may take; below the hook's own time-out, after which some harnesses continue. */
  readonly maxSeconds: number
}

export function shimText({ paths, bash, node, entry, maxSeconds }: ShimPlaces): string {
  // -p keeps the environment from replacing commands by functions and from running a file first.
  const shell = bash === null ? '/bin/sh' : `${bash} -p`
  const fed = bash === null ? '' : 'fed '
  return `#!${shell}
# Signalbox, written by "signalbox init": asks the daemon about one hook of a harness. Every failure in this script refuses.
# Usage: ${'`'}daemon-hook <harness> [version]${'`'} with the hook's JSON on standard input.
socket='${paths.socket}'
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
${bash === null ? '' : askByBash(paths.shimAddress)}
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
  7) refuse "The Signalbox daemon does not answer on $socket, so this is refused. Start it: ${startCommand({ ...paths, socket: '$socket' })}" ;;
  28) refuse 'The Signalbox daemon did not answer in time, so this is refused.' ;;
  *) refuse 'The Signalbox daemon could not be reached, so this is refused.' ;;
esac
break='
'
answered "\${answer##*"$break"}" "\${answer%"$break"*}"
`
}

// Bash alone runs this part, with builtins only. If anything is unclear before the request is sent, the shim uses curl. After that, the
// hook is answered or refused, because the daemon may have evaluated it.

/** A daemon that hangs must not block the request: bash cannot abort a write, and this much fits into the socket's buffers. */
const MOST_BYTES = 32_768
/** Length of an answer's head after the daemon's proof: ` 200 00000002` and a line break. */
const HEAD_REST = 14

/**
 * Defines `fed`, which passes all of standard input to a command. Uses `refuse`, `answered` and `$seconds`. `door`: the file that the
 * daemon writes, with version, port, process id, the shim's token and the daemon's proof.
 */
function askByBash(door: string): string {
  return `
# In POSIX mode, bash would exit when a port does not answer. Lengths are in bytes.
set +o posix
LC_ALL=C
body=
more=yes
# fed <command ...>: runs the command on the input, including the part that was already read.
fed() {
  if [[ -z $body ]]; then
    "$@"
  else
    { printf '%s' "$body"; [[ -z $more ]] || exec cat; } | "$@"
  fi
}

late() { refuse 'The Signalbox daemon did not answer in time, so this is refused.'; }
cut_off() { refuse 'The Signalbox daemon could not be reached, so this is refused.'; }

# heard <variable> <bytes>: reads that many bytes of the answer, or refuses. Bash drops NUL bytes.
heard() {
  local status
  (( $2 > 0 )) || return
  # With a timeout, bash makes two system calls per byte, so an answer is as short as possible.
  IFS= read -r -t $(( seconds > SECONDS ? seconds - SECONDS : 1 )) -N "$2" -u 3 "$1"
  status=$?
  (( status <= 128 )) || late
  (( status == 0 )) || cut_off
}

ask_by_bash() {
  local form port pid token proof head answer=
  (( BASH_VERSINFO[0] >= 5 )) && [[ $harness != *[!a-z-]* && $version != *[!A-Za-z0-9._+-]* ]] || return
  [[ -r $door ]] && IFS=' ' read -r form port pid token proof 2>/dev/null <"$door" || return
  [[ $form == ${ADDRESS_FORM} && $port == [1-9]* && -n $token && -n $proof ]] && kill -0 "$pid" 2>/dev/null || return

  # No timeout here: with one, bash makes two system calls per byte. If all requested bytes arrive, there may be more.
  IFS= read -r -N ${MOST_BYTES} body && return
  more=
  { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return

  local agent=\${AI_AGENT-} trace=\${TRACEPARENT-}
  [[ $agent != *[![:print:]]* ]] && (( \${#agent} <= 1000 )) || agent=
  [[ $trace != *[![:print:]]* ]] && (( \${#trace} <= 1000 )) || trace=
  # No line break: bash would send the part before it separately, and wake the daemon for it.
  # Without this, SIGPIPE would end the shim silently when the daemon stops during the request.
  trap '' PIPE
  printf '%s\\t%s\\t%s\\t%s\\t%s\\t%d\\t%s' \\
    "$token" "$harness" "$version" "$agent" "$trace" "\${#body}" "$body" 2>/dev/null >&3 || cut_off
  trap - PIPE

  heard head $(( \${#proof} + ${HEAD_REST} ))
  [[ $head == "$proof "* ]] || refuse 'A program other than the Signalbox daemon answered, so this is refused.'
  head=\${head#"$proof "}
  [[ $head == [0-9][0-9][0-9]' '[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]$'\\n' ]] || cut_off
  heard answer $(( 10#\${head:4:8} ))
  answered "\${head:0:3}" "$answer"
}
door='${door}'
ask_by_bash
seconds=$(( seconds > SECONDS ? seconds - SECONDS : 1 ))
`
}

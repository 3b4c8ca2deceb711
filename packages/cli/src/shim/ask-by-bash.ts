// The part of the shim that only bash understands: a question to the daemon's own port for it, by builtins alone. What is
// not known when the question begins to go out is left to curl; after that the hook is answered or refused, because the daemon may
// have judged it.
import { DOOR_FORM } from '../daemon/shim-door.ts'

/**
 * Limit of input sent by bash, in bytes. A daemon that hangs must not block the request: this much fits into the socket's buffers, and bash
 * cannot abort a write.
 */
const MOST_BYTES = 32_768
/** Length of an answer's head after the proof that it begins with: ` 200 00000002` and a line break. */
const HEAD_REST = 14

/**
 * Asks if it can, and defines `fed`, which gives all of the standard input to a command. `refuse`, `answered` and `$seconds` are
 * there. `door`: the file that the daemon writes, with its form, port, process id, the shim's token and the daemon's proof.
 */
export function askByBash(door: string): string {
  return `
# An environment that wants POSIX would end the script where a port does not answer. Lengths count bytes.
set +o posix
LC_ALL=C
body=
more=yes
# fed <command ...>: gives it what was read of the input, and what was not.
fed() {
  if [[ -z $body ]]; then
    "$@"
  else
    { printf '%s' "$body"; [[ -z $more ]] || exec cat; } | "$@"
  fi
}

late() { refuse 'The Signalbox daemon did not answer in time, so this is refused.'; }
cut_off() { refuse 'The Signalbox daemon could not be asked, so this is refused.'; }

# heard <variable> <bytes>: so much of the answer, or a refusal. What bash cannot hold, it leaves out.
heard() {
  local status
  (( $2 > 0 )) || return
  # With a time-out bash asks the system twice for every byte, so an answer has no more of them than it needs.
  IFS= read -r -t $(( seconds > SECONDS ? seconds - SECONDS : 1 )) -N "$2" -u 3 "$1"
  status=$?
  (( status <= 128 )) || late
  (( status == 0 )) || cut_off
}

ask_by_bash() {
  local form port pid token proof head answer=
  (( BASH_VERSINFO[0] >= 5 )) && [[ $harness != *[!a-z-]* && $version != *[!A-Za-z0-9._+-]* ]] || return
  [[ -r $door ]] && IFS=' ' read -r form port pid token proof 2>/dev/null <"$door" || return
  [[ $form == ${DOOR_FORM} && $port == [1-9]* && -n $token && -n $proof ]] && kill -0 "$pid" 2>/dev/null || return

  # Without a time-out, with which bash asks the system twice for every byte. All that may come was asked for: there may be more.
  IFS= read -r -N ${MOST_BYTES} body && return
  more=
  { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return

  local agent=\${AI_AGENT-} trace=\${TRACEPARENT-}
  [[ $agent != *[![:print:]]* ]] && (( \${#agent} <= 1000 )) || agent=
  [[ $trace != *[![:print:]]* ]] && (( \${#trace} <= 1000 )) || trace=
  # No line break: bash would send what is before it by itself, and wake the daemon for that.
  # A daemon that goes away while it is asked would end the shim without a word.
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

// The part of the shim that only bash understands: HTTP on the daemon's loopback port, by builtins alone. What is not known when the
// request begins to go out is left to curl; after that the hook is answered or refused, because the daemon may have judged it.

/**
 * Bytes of input that go by bash. A daemon that hangs must not block the request: so much fits into the socket's buffers, while
 * bash cannot give up a write.
 */
const MOST_BYTES = 32_768
/** More than any answer; one that is longer is cut, and so refused. */
const MOST_ANSWER = 33_554_432

/**
 * Asks if it can, and defines `fed`, which gives all of the standard input to a command. `refuse`, `answered` and `$seconds` are
 * there. `door`: the file that the daemon writes, with port, process id, the shim's token and the daemon's proof.
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

ask_by_bash() {
  local port pid token proof status answer head
  (( BASH_VERSINFO[0] >= 5 )) && [[ $harness != *[!a-z-]* && $version != *[!A-Za-z0-9._+-]* ]] || return
  [[ -r $door ]] && IFS=' ' read -r port pid token proof 2>/dev/null <"$door" || return
  [[ $port == [1-9]* && -n $token && -n $proof ]] && kill -0 "$pid" 2>/dev/null || return

  # Without a time-out, with which bash asks the system twice for every byte. All that may come was asked for: there may be more.
  IFS= read -r -N ${MOST_BYTES} body && return
  more=
  { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return

  local agent=\${AI_AGENT-} trace=\${TRACEPARENT-}
  [[ $agent != *[![:print:]]* ]] || agent=
  [[ $trace != *[![:print:]]* ]] || trace=
  # A daemon that goes away while it is asked would end the shim without a word.
  trap '' PIPE
  printf 'POST /hook/%s?version=%s HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\nAuthorization: Bearer %s\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\nx-signalbox-agent: %s\\r\\ntraceparent: %s\\r\\n\\r\\n%s' \\
    "$harness" "$version" "$token" "\${#body}" "$agent" "$trace" "$body" 2>/dev/null >&3 || cut_off
  trap - PIPE

  # All of it at once, to the end: the daemon closes. A line at a time would be a byte at a time.
  seconds=$(( seconds > SECONDS ? seconds - SECONDS : 1 ))
  IFS= read -r -t "$seconds" -N ${MOST_ANSWER} -u 3 answer
  status=$?
  (( status <= 128 )) || late
  body=\${answer#*$'\\r\\n\\r\\n'}
  head=\${answer%%$'\\r\\n\\r\\n'*}$'\\r\\n'
  [[ $head =~ ^HTTP/1\\.1\\ ([0-9]{3})\\  ]] || cut_off
  status=\${BASH_REMATCH[1]}
  [[ $head == *$'\\r\\n'"x-signalbox-proof: $proof"$'\\r\\n'* ]] ||
    refuse 'Another program than the Signalbox daemon answered, so this is refused.'
  # What bash cannot hold, it leaves out.
  [[ $head =~ $'\\r\\n'[Cc]ontent-[Ll]ength:\\ (0|[1-9][0-9]{0,8})$'\\r\\n' ]] && (( BASH_REMATCH[1] == \${#body} )) || cut_off
  answered "$status" "$body"
}
door='${door}'
ask_by_bash
seconds=$(( seconds > SECONDS ? seconds - SECONDS : 1 ))
`
}

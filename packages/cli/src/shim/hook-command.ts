// signalbox hook: does the shim's work in Node.js, for machines without curl.

import { type DaemonHooks, HARNESSES } from '@signalbox/adapters'
import { isJsonObject } from '@signalbox/core'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, Unusable } from '../base/io.ts'
import { askSocket } from '../daemon/ask-socket.ts'
import { daemonPaths, startCommand } from '../daemon/daemon-paths.ts'

export function addHook(program: Command, context: CommandContext): void {
  program
    .command('hook')
    .description('Pass one hook of a harness to the daemon and print the answer')
    .argument(
      '<harness>',
      `Harness that calls the hook (choices: ${[...HARNESSES.keys()].join(', ')})`,
    )
    .argument('[version]', 'Harness version, if its hooks do not contain it', '')
    .option('--socket <path>', 'Daemon socket (env: SIGNALBOX_SOCKET)')
    .action(async (name: string, version: string, options: { readonly socket?: string }) => {
      const harness = HARNESSES.get(name)
      if (harness === undefined) throw new Unusable(`There is no hook-based harness "${name}".`)
      await hook({ name, version, harness, socket: options.socket ?? null }, context)
      context.done(EXIT.clean)
    })
}

interface Asked {
  readonly name: string
  readonly version: string
  readonly harness: DaemonHooks
  readonly socket: string | null
}

const TIMEOUT_MS = 595_000

async function hook({ name, version, harness, socket }: Asked, { io, around }: CommandContext) {
  const body = await around.readInput()
  const paths = daemonPaths(socket, around)
  const headers = {
    'x-signalbox-agent': around.env['AI_AGENT'] ?? '',
    traceparent: around.env['TRACEPARENT'] ?? '',
  }
  const request = {
    method: 'POST',
    path: `/hook/${name}?version=${encodeURIComponent(version)}`,
    headers,
    body,
  } as const
  const answer = await askSocket(paths.socket, { ...request, timeoutMs: TIMEOUT_MS }).catch(
    () => null,
  )
  const reason =
    answer === null
      ? `The Signalbox daemon does not answer on ${paths.socket}, so this is refused. Start it: ${startCommand(paths)}`
      : describeHookProblem(answer)
  // The event of such a hook is unknown, so no refusal in the harness's format fits; exit code 2 refuses every event.
  if (reason !== null && !isJsonObject(parseHookJson(body))) throw new Unusable(reason)
  const text = reason === null ? (answer?.body ?? '') : formatHookRefusal(harness, body, reason)
  if (text !== '{}') io.out(text)
}

/** null: the answer is valid. */
function describeHookProblem({
  status,
  body,
}: {
  readonly status: number
  readonly body: string
}): string | null {
  if (status !== 200)
    return `The Signalbox daemon answered with status ${status}, so this is refused.`
  return isJsonObject(parseHookJson(body))
    ? null
    : 'The Signalbox daemon did not answer with JSON, so this is refused.'
}

function formatHookRefusal(harness: DaemonHooks, body: string, reason: string): string {
  return JSON.stringify(harness.hooks('command').refuse(parseHookJson(body), reason) ?? {})
}

/** null: the text is not JSON. */
function parseHookJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

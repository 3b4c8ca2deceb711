import { plural } from '@signalbox/core/analysis'
import { describeError } from '@signalbox/runtime/base'
import { EventsResponse, ProblemV1 } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import { EXIT, formatHelpSection, type Io, Unusable } from './base/io.ts'
import { readNamed, writeNamed } from './base/named-file.ts'
import { printable } from './base/printable.ts'
import {
  importedLog,
  MAX_ARCHIVE_BYTES,
  readDebugBundle,
  splitRequests,
  toSessionId,
} from './wink/index.ts'

interface Options {
  readonly url?: string
  readonly environment: string
  readonly out?: string
}

const TIMEOUT_MS = 60_000

export function addImportWink(program: Command, { io, around, done }: CommandContext): void {
  program
    .command('import-wink')
    .description('Import a session from a WINK debug bundle as events')
    .argument('<file>', 'Zip file that WINK wrote')
    .option('--out <file>', 'File for the events, one per line, instead of a control plane')
    .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
    .option(
      '--environment <name>',
      'Environment named in the log, regardless of where the API key stores it',
      'dev',
    )
    .addHelpText(
      'after',
      formatHelpSection('Environment variables', {
        SIGNALBOX_API_KEY: 'API key with the scope "ingest", unless --out is given',
      }),
    )
    .action(async (file: string, options: Options) => {
      const bundle = readDebugBundle(
        await readNamed({ cwd: around.cwd, name: file }, MAX_ARCHIVE_BYTES),
      )
      const lines = importedLog(bundle, options.environment)
      const summary = `${toSessionId(bundle)}: ${plural(lines.length, 'event')}, not enforced by Signalbox`
      if (options.out !== undefined) {
        await writeNamed({ cwd: around.cwd, name: options.out }, `${lines.join('\n')}\n`, 0o600)
        io.out(printable(`${summary}; written to ${options.out}`))
        return done(EXIT.clean)
      }
      const target = resolveTarget(options, around.env)
      const refused = await send(lines, target)
      for (const line of refused) io.err(printable(line))
      if (refused.length > 0) return done(EXIT.findings)
      announce(io, summary, `${target.url}/sessions/${toSessionId(bundle)}`)
      done(EXIT.clean)
    })
}

function announce(io: Io, summary: string, address: string): void {
  io.out(printable(summary))
  io.out(printable(address))
}

interface Target {
  readonly url: string
  readonly key: string
}

function resolveTarget(
  options: Options,
  env: { readonly [name: string]: string | undefined },
): Target {
  const url = (options.url ?? env['SIGNALBOX_URL'])?.replace(/\/+$/, '')
  const key = env['SIGNALBOX_API_KEY']
  if (!url)
    throw new Unusable(
      'Specify a target: --out <file>, or a control plane with --url or SIGNALBOX_URL.',
    )
  if (!key)
    throw new Unusable(
      'Set SIGNALBOX_API_KEY to a key with the scope "ingest" (Settings, API keys).',
    )
  return { url, key }
}

/** Returns the refusals as text. Stored events are not stored twice, so an import can be repeated. */
async function send(lines: readonly string[], target: Target): Promise<readonly string[]> {
  const refused: string[] = []
  for (const part of splitRequests(lines)) {
    const { errors } = await post(part, target)
    refused.push(...errors.map(({ seq, code, detail }) => `#${seq ?? '?'} ${code}: ${detail}`))
  }
  return refused
}

async function post(lines: readonly string[], { url, key }: Target): Promise<EventsResponse> {
  const response = await fetch(`${url}/api/runtime/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${key}` },
    body: `${lines.join('\n')}\n`,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Unusable(`${url} does not answer: ${describeError(error)}.`)
  })
  const body: unknown = await response.json().catch(() => null)
  const answer = EventsResponse.safeParse(body)
  if (response.ok && answer.success) return answer.data
  const problem = ProblemV1.safeParse(body)
  const why = problem.success ? problem.data.detail : `status ${response.status}`
  throw new Unusable(`The control plane rejected the events: ${why}`)
}

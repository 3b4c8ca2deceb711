import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { RelayError, startRelay } from '@signalbox/relay'
import { readErrorCode } from '@signalbox/runtime/base'
import type { Command } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import { EXIT, formatHelpSection, Unusable } from './base/io.ts'
import { printable } from './base/printable.ts'
import { privateFolder } from './daemon/private-files.ts'

const DEFAULT_PORT = '4610'
const DEFAULT_SPOOL_MIB = '1024'
const MIB = 1024 * 1024

interface RelayWords {
  readonly upstream?: string
  readonly data: string
  readonly port: string
  readonly host: string
  readonly maxSpoolMib: string
}

export function addRelay(program: Command, context: CommandContext): void {
  program
    .command('relay')
    .description(
      'Relay between runtimes and the control plane, and serve runtimes while it is unreachable',
    )
    .option('--upstream <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
    .requiredOption(
      '--data <folder>',
      'Folder for configs, events and key hashes, accessible only to you',
    )
    .option('--port <number>', 'Port to listen on', DEFAULT_PORT)
    .option('--host <name>', 'Address to listen on', '127.0.0.1')
    .option(
      '--max-spool-mib <number>',
      'Limit for events that wait on disk, in MiB',
      DEFAULT_SPOOL_MIB,
    )
    .addHelpText(
      'after',
      formatHelpSection('Environment variables', {
        SIGNALBOX_RELAY_KEYS:
          'API keys, separated by commas, whose waiting events are\nforwarded before a runtime presents them',
      }),
    )
    .action(async (words: RelayWords) => context.done(await runRelay(words, context)))
}

async function runRelay(words: RelayWords, { io, around }: CommandContext): Promise<number> {
  const upstream = words.upstream ?? around.env['SIGNALBOX_URL']
  if (!upstream || !URL.canParse(upstream))
    throw new Unusable(
      'The relay needs the address of the control plane: --upstream or SIGNALBOX_URL.',
    )
  const dataDir = path.resolve(around.cwd, words.data)
  privateFolder(dataDir)
  const release = hold(dataDir)
  const stopped = around.stopSignal()
  try {
    const report = (line: string): void => io.err(printable(`signalbox relay: ${line}`))
    const keys = (around.env['SIGNALBOX_RELAY_KEYS'] ?? '').split(',').filter((key) => key !== '')
    const relay = await startRelay({
      upstream,
      dataDir,
      keys,
      report,
      host: words.host,
      port: numberIn(words.port, '--port', 65_535),
      maxSpoolBytes: numberIn(words.maxSpoolMib, '--max-spool-mib', 1024 * 1024) * MIB,
    }).catch((error: unknown) => {
      throw error instanceof RelayError ? new Unusable(error.message) : error
    })
    report(`http://${words.host}:${relay.port} for ${upstream}`)
    if (!stopped.aborted) await once(stopped, 'abort')
    await relay.close()
    return EXIT.clean
  } finally {
    release()
  }
}

function numberIn(word: string, option: string, most: number): number {
  const value = Number(word)
  if (Number.isInteger(value) && value >= 0 && value <= most) return value
  throw new Unusable(`${option} must be a whole number up to ${most}, not "${word}".`)
}

/** Prevents two relays from damaging each other's spool. Replaces the file of a killed relay. */
function hold(dataDir: string): () => void {
  const file = path.join(dataDir, 'relay.pid')
  const holder = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0
  if (holder > 0 && holder !== process.pid && isRunning(holder))
    throw new Unusable(
      `Process ${holder} is already using ${dataDir}. Choose another folder with --data.`,
    )
  fs.writeFileSync(file, String(process.pid), { mode: 0o600 })
  return () => fs.rmSync(file, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return readErrorCode(error) === 'EPERM'
  }
}

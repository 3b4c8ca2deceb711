// The command line: parses the words, runs a command, gives the exit code. Never a stack trace.

import { SDK_VERSION } from '@signalbox/runtime'
import { Command, CommanderError } from 'commander'
import { addAcpProxy } from './acp-proxy.ts'
import { withApiKey } from './api-key.ts'
import { checkLog } from './check-log.ts'
import { addCompletion } from './completion.ts'
import { readConfigFile } from './config-file.ts'
import { addDaemon } from './daemon/daemon-command.ts'
import { addDoctor } from './doctor/doctor-command.ts'
import { addImportWink } from './import-wink.ts'
import { addInit } from './init/init-command.ts'
import { EXIT, type Io, Unusable } from './io.ts'
import { lint } from './lint.ts'
import { addMcpProxy } from './mcp-proxy.ts'
import { addOpen } from './open/open-command.ts'
import { printable } from './printable.ts'
import { addRelay } from './relay/relay-command.ts'
import { addRemote } from './remote/remote-commands.ts'
import { replay } from './replay.ts'
import { addHook } from './shim/hook-command.ts'
import type { Surroundings } from './surroundings.ts'

const COMMANDS = [
  ...[addDaemon, addHook, addInit, addDoctor, addMcpProxy, addAcpProxy, addRelay],
  ...[addRemote, addOpen, addImportWink],
]

/** `around` absent: commands that need a process of their own are not there. */
export async function run(
  words: readonly string[],
  io: Io,
  around: Surroundings | null = null,
): Promise<number> {
  let code: number = EXIT.clean
  const done = (result: number) => {
    code = result
  }
  const program = commands(io, done)
  if (around !== null) {
    const keyed = withApiKey(program, { io, around })
    for (const add of COMMANDS) add(program, { io, around: keyed, done })
  }
  addCompletion(program, io)
  try {
    await program.parseAsync([...words], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.unusable
    const message =
      error instanceof Unusable ? error.message : `Unexpected failure: ${String(error)}`
    io.err(printable(message))
    return EXIT.unusable
  }
}

interface LintOptions {
  readonly json: boolean
  readonly customTypes: readonly string[] | 'any'
}

const CUSTOM_TYPES = 'rule types that the runtimes have code for, joined by commas, or any'

function typesOf(words: string): readonly string[] | 'any' {
  return words === 'any' ? 'any' : words.split(',').map((word) => word.trim())
}

function commands(io: Io, done: (code: number) => void): Command {
  const program = new Command('signalbox')
    .description(
      'Guardrails for agents: enforce them, check configs, replay sessions. Exit code 0: clean, 1: findings, 2: unusable input.',
    )
    .version(SDK_VERSION, '-V, --version', 'the version of this command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
  program
    .command('validate')
    .description('errors of a config, with JSON pointers')
    .argument('<file>', 'config.json')
    .option('--json', 'as one JSON array', false)
    .option('--custom-types <types>', CUSTOM_TYPES, typesOf, [])
    .action(async (file: string, options: LintOptions) =>
      done(await lint(io, file, { ...options, warnings: false })),
    )
  program
    .command('lint')
    .description('errors and warnings of a config, with JSON pointers')
    .argument('<file>', 'config.json')
    .option('--json', 'as one JSON array', false)
    .option('--custom-types <types>', CUSTOM_TYPES, typesOf, [])
    .action(async (file: string, options: LintOptions) =>
      done(await lint(io, file, { ...options, warnings: true })),
    )
  program
    .command('replay')
    .description('fold a recorded log under a config and print every effect')
    .argument('<events>', 'events.jsonl, or - for standard input')
    .requiredOption('--config <file>', 'config.json')
    .option('--json', 'canonical JSON, one effect a line', false)
    .option('--check', 'compare the decisions in the log with the recomputed ones', false)
    .action(async (events: string, options: { config: string; json: boolean; check: boolean }) => {
      const files = { config: await readConfigFile(io, options.config), events }
      done(await (options.check ? checkLog(io, files) : replay(io, files, options)))
    })
  return program
}

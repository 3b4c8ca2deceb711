// Never prints a stack trace.

import { type Argument, Command, CommanderError, type Option } from 'commander'
import { withApiKey } from './api-key.ts'
import type { CommandContext } from './base/command-context.ts'
import { EXIT, formatExitCodes, type Io, Unusable } from './base/io.ts'
import { printable } from './base/printable.ts'
import type { Surroundings } from './base/surroundings.ts'
import { addCompletion } from './completion.ts'

type AddCommands = (program: Command, context: CommandContext) => void

interface CommandModule {
  readonly names: readonly string[]
  readonly load: () => Promise<AddCommands>
}

/** In the order of the help. Loading all of them takes several times as long as loading one. */
const MODULES: readonly CommandModule[] = [
  { names: ['daemon'], load: async () => (await import('./daemon/daemon-command.ts')).addDaemon },
  { names: ['hook'], load: async () => (await import('./shim/hook-command.ts')).addHook },
  { names: ['init'], load: async () => (await import('./init/init-command.ts')).addInit },
  { names: ['doctor'], load: async () => (await import('./doctor/doctor-command.ts')).addDoctor },
  { names: ['mcp-proxy'], load: async () => (await import('./mcp-proxy.ts')).addMcpProxy },
  { names: ['acp-proxy'], load: async () => (await import('./acp-proxy.ts')).addAcpProxy },
  { names: ['relay'], load: async () => (await import('./relay-command.ts')).addRelay },
  {
    names: [
      ...['pull', 'push', 'check', 'diff', 'publish', 'promote', 'rollback', 'export', 'import'],
    ],
    load: async () => (await import('./remote/remote-commands.ts')).addRemote,
  },
  {
    names: ['sessions', 'stops', 'runtimes', 'approvals', 'audit', 'streams'],
    load: async () => (await import('./remote/list-commands.ts')).addLists,
  },
  {
    names: ['rollouts'],
    load: async () => (await import('./remote/rollout-commands.ts')).addRollouts,
  },
  {
    names: ['backtests', 'cases'],
    load: async () => (await import('./remote/backtest-commands.ts')).addBacktests,
  },
  { names: ['learn'], load: async () => (await import('./learn/learn-command.ts')).addLearn },
  { names: ['prevent'], load: async () => (await import('./prevent.ts')).addPrevent },
  { names: ['claims'], load: async () => (await import('./remote/claim-commands.ts')).addClaims },
  {
    names: ['suggestions'],
    load: async () => (await import('./remote/suggestion-commands.ts')).addSuggestions,
  },
  { names: ['prove'], load: async () => (await import('./prove.ts')).addProve },
  { names: ['apply'], load: async () => (await import('./apply/apply-command.ts')).addApply },
  { names: ['open'], load: async () => (await import('./open/open-command.ts')).addOpen },
  { names: ['import-wink'], load: async () => (await import('./import-wink.ts')).addImportWink },
  {
    names: ['import-permissions'],
    load: async () => (await import('./import-permissions.ts')).addImportPermissions,
  },
]
const OWN = ['validate', 'lint', 'replay']

const VERSION_OPTIONS = ['-V', '--version']

function modulesFor(words: readonly string[]): readonly CommandModule[] {
  const [name = ''] = words
  const found = MODULES.filter(({ names }) => names.includes(name))
  return found.length > 0 || [...OWN, ...VERSION_OPTIONS].includes(name) ? found : MODULES
}

/** `around` null: commands that need a process of their own are missing. */
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
  const modules = modulesFor(words)
  if (modules === MODULES || words.some((word) => VERSION_OPTIONS.includes(word))) {
    const { SDK_VERSION } = await import('@signalbox/runtime/base')
    program.version(SDK_VERSION, VERSION_OPTIONS.join(', '), 'Show the version')
  }
  if (around !== null) {
    const keyed = withApiKey(program, { io, around })
    for (const { load } of modules) (await load())(program, { io, around: keyed, done })
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

const CUSTOM_TYPES = 'Custom rule types that the runtimes support, separated by commas, or "any"'

function parseTypes(words: string): readonly string[] | 'any' {
  return words === 'any' ? 'any' : words.split(',').map((word) => word.trim())
}

async function linted(
  io: Io,
  file: string,
  options: LintOptions & { readonly warnings: boolean; readonly prove: boolean },
) {
  const { lint } = await import('./lint.ts')
  return lint(io, file, options)
}

function describeWord(word: Option | Argument): string {
  const { description, argChoices, defaultValueDescription } = word
  const defaultValue: unknown = word.defaultValue
  const isShown =
    typeof defaultValue === 'number' || (typeof defaultValue === 'string' && defaultValue !== '')
  const usual = defaultValueDescription ?? (isShown ? String(defaultValue) : null)
  const notes = [
    ...('mandatory' in word && word.mandatory ? ['required'] : []),
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(', ')}`]),
    ...(usual === null ? [] : [`default: ${usual}`]),
  ]
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`
}

function commands(io: Io, done: (code: number) => void): Command {
  const program = new Command('signalbox')
    .description('Enforce guardrails for agents, check configs, and replay sessions')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp({ optionDescription: describeWord, argumentDescription: describeWord })
    .addHelpText('after', formatExitCodes('No findings', 'Findings', 'Unusable input'))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
  program
    .command('validate')
    .description('Report the errors in a config, with JSON pointers')
    .argument('<file>', 'Config file')
    .option('--json', 'Print one JSON array', false)
    .option('--custom-types <types>', CUSTOM_TYPES, parseTypes, [])
    .action(async (file: string, options: LintOptions) =>
      done(await linted(io, file, { ...options, warnings: false, prove: false })),
    )
  program
    .command('lint')
    .description('Report the errors and warnings in a config, with JSON pointers')
    .argument('<file>', 'Config file')
    .option('--json', 'Print one JSON array', false)
    .option('--custom-types <types>', CUSTOM_TYPES, parseTypes, [])
    .option('--prove', 'Also search every run for policies that never decide, and for traps', false)
    .action(async (file: string, options: LintOptions & { readonly prove: boolean }) =>
      done(await linted(io, file, { ...options, warnings: true })),
    )
  program
    .command('replay')
    .description('Replay a recorded log under a config and print every effect')
    .argument('<events>', 'Log file in JSON Lines, or - for standard input')
    .requiredOption('--config <file>', 'Config file')
    .option('--json', 'Print canonical JSON, one effect per line', false)
    .option('--check', 'Compare the recorded decisions with the recomputed ones', false)
    .action(async (events: string, options: { config: string; json: boolean; check: boolean }) => {
      const { readConfigFile } = await import('./base/config-file.ts')
      const files = { config: await readConfigFile(io, options.config), events }
      if (options.check) done(await (await import('./check-log.ts')).checkLog(io, files))
      else done(await (await import('./replay.ts')).replay(io, files, options))
    })
  return program
}

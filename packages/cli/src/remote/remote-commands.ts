import path from 'node:path'
import { GUARD_METRICS } from '@signalbox/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatExitCodes, formatHelpSection } from '../base/io.ts'
import { type ControlPlane, connect } from './control-plane.ts'
import { diff, diffAsMarkdown, remoteLint } from './diff.ts'
import { ConfigFolder } from './folder.ts'
import { parseSeconds, parseShare, parseVersion } from './options.ts'
import { pull } from './pull.ts'
import { push } from './push.ts'
import { type Demands, type Guard, promote, publish, rollback } from './release.ts'
import { type Row, report } from './report.ts'
import { exportTo, importFrom } from './transfer.ts'
import { waitForAdoption } from './wait.ts'

interface Common {
  readonly url?: string
  readonly json: boolean
}

interface Local extends Common {
  readonly dir: string
}

interface Waiting extends Common {
  readonly wait: boolean
  readonly timeout: number
}

const NAMES = 'Prompts, as ns/key (default: all)'
const API_KEY_HELP = formatHelpSection('Environment variables', {
  SIGNALBOX_API_KEY:
    'API key with the scopes read and publish from the console (Settings, API keys)',
})
const NO_FILES = 'There are no config files here.'

function words(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim())
}

function hours(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 336) return value
  throw new InvalidArgumentError('Use 1 to 336 hours.')
}

function parseGuard(text: string): Guard {
  const [named, ratio, sessions] = text.split(':')
  const metric = GUARD_METRICS.find((each) => each === named)
  const guard = { ratio: Number(ratio), min_sessions: Number(sessions) }
  if (metric !== undefined && guard.ratio >= 1 && Number.isInteger(guard.min_sessions)) {
    return { metric, ...guard }
  }
  throw new InvalidArgumentError('Use metric:ratio:sessions, such as denials:1.5:20.')
}

function tightening(): Option {
  return new Option(
    '--tighten',
    'Move running sessions to the version immediately, if it is at least as strict as theirs',
  )
}

class RemoteCommands {
  readonly #program: Command
  readonly #context: CommandContext

  constructor(program: Command, context: CommandContext) {
    this.#program = program
    this.#context = context
  }

  #command(name: string, description: string): Command {
    return this.#program
      .command(name)
      .description(description)
      .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
      .option('--json', 'Print one JSON object', false)
      .addHelpText('after', API_KEY_HELP)
  }

  #local(name: string, description: string): Command {
    return this.#command(name, description)
      .argument('[prompts...]', NAMES)
      .option('--dir <folder>', 'Folder of the config files, <ns>/<key>.json', 'guardrails')
  }

  #waiting(command: Command): Command {
    return command
      .option(
        '--wait',
        'Wait until every connected runtime applies the release, or exit with code 1',
        false,
      )
      .option('--timeout <seconds>', 'Limit for --wait, in seconds', parseSeconds, 120)
  }

  #releasing(command: Command): Command {
    return this.#waiting(command)
      .option('--note <text>', 'Change and reason, recorded with the release')
      .option('--confirm <environment>', 'Name of the environment, if it requires confirmation')
      .option(
        '--acknowledge <gates>',
        'Gates to acknowledge, separated by commas (choices: runtimes, backtest, cases, claim_unknown)',
        words,
      )
      .addOption(
        new Option(
          '--share <percent>',
          'Percentage of new sessions that get the version first (0.1 to 99.9)',
        )
          .argParser(parseShare)
          .conflicts('watch'),
      )
      .option(
        '--watch <hours>',
        'Hours to compare sessions of the release with earlier ones (1 to 336)',
        hours,
      )
      .option(
        '--guard <metric:ratio:sessions>',
        `Condition for automatic rollback, such as denials:1.5:20 (metrics: ${GUARD_METRICS.join(', ')})`,
        parseGuard,
      )
      .addOption(tightening())
  }

  #plane(options: Common): ControlPlane {
    return connect(options, this.#context.around.env)
  }

  #folder({ dir }: Local): ConfigFolder {
    return new ConfigFolder(path.resolve(this.#context.around.cwd, dir))
  }

  #absolute(folder: string | undefined): { readonly was?: string } {
    return folder === undefined ? {} : { was: path.resolve(this.#context.around.cwd, folder) }
  }

  #report(rows: readonly Row[], options: Common, none = NO_FILES): void {
    this.#context.done(report(this.#context.io, rows, { json: options.json, none }))
  }

  async #released(rows: readonly Row[], options: Waiting, plane: ControlPlane): Promise<void> {
    const { io } = this.#context
    const timeoutMs = options.timeout * 1000
    const waited = options.wait ? await waitForAdoption(plane, io, { rows, timeoutMs }) : rows
    this.#report(waited, options, 'Nothing to release.')
  }

  files(): void {
    this.#local('pull', 'Write configs from the control plane to files')
      .option(
        '--env <environment>',
        'Environment whose live versions to get (default: the newest versions)',
      )
      .option('--draft', 'Get the draft, if there is one', false)
      .option('--overwrite', 'Also replace files that were changed here', false)
      .action(
        async (
          names: string[],
          options: Local & { env?: string; draft: boolean; overwrite: boolean },
        ) => {
          const { draft, overwrite, env } = options
          const wanted = { names, draft, overwrite, ...(env === undefined ? {} : { env }) }
          const rows = await pull(this.#plane(options), this.#folder(options), wanted)
          this.#report(rows, options, 'The control plane has nothing to pull.')
        },
      )
    this.#local('push', 'Save files as drafts, without overwriting unseen work')
      .option('--was <folder>', 'Folder with the files before the change, for CI')
      .option('--overwrite', 'Replace work on the server that is not in this folder', false)
      .action(async (names: string[], options: Local & { was?: string; overwrite: boolean }) => {
        const how = { names, overwrite: options.overwrite, ...this.#absolute(options.was) }
        this.#report(await push(this.#plane(options), this.#folder(options), how), options)
      })
    this.#local('check', 'Lint files with the custom rule types of the runtimes')
      .addHelpText('after', formatExitCodes('Publishable', 'Not publishable', 'Unusable input'))
      .action(async (names: string[], options: Local) => {
        const rows = await remoteLint(this.#plane(options), this.#folder(options), names)
        this.#report(rows, options)
      })
    this.#local('diff', 'Describe the changes that the files would make')
      .addHelpText('after', formatExitCodes('No differences', 'Differences', 'Unusable input'))
      .requiredOption('--env <environment>', 'Environment to compare with')
      .option('--markdown', 'Print Markdown for a pull request comment', false)
      .action(async (names: string[], options: Local & { env: string; markdown: boolean }) => {
        const { env } = options
        const rows = await diff(this.#plane(options), this.#folder(options), { names, env })
        if (!options.markdown || options.json) {
          this.#report(rows, options)
          return
        }
        this.#context.io.out(diffAsMarkdown(rows, env))
        this.#context.done(rows.some(({ isFinding }) => isFinding) ? EXIT.findings : EXIT.clean)
      })
  }

  releases(): void {
    this.#releasing(this.#local('publish', 'Release changed files to an environment'))
      .requiredOption('--env <environment>', 'Environment of the API key')
      .option('--was <folder>', 'Folder with the files before the change, for CI')
      .option('--overwrite', 'Replace work on the server that is not in this folder', false)
      .action(
        async (
          names: string[],
          options: Local & Waiting & Demands & { env: string; was?: string; overwrite: boolean },
        ) => {
          const plane = this.#plane(options)
          const { was, ...asked } = options
          const how = { names, ...asked, ...this.#absolute(was) }
          await this.#released(await publish(plane, this.#folder(options), how), options, plane)
        },
      )
    this.#releasing(this.#command('promote', 'Release the versions of one environment to another'))
      .argument('[prompts...]', 'Prompts, as ns/key (default: all that differ)')
      .requiredOption('--from <environment>', 'Environment to take the versions from')
      .requiredOption('--to <environment>', 'Environment of the API key')
      .action(
        async (names: string[], options: Waiting & Demands & { from: string; to: string }) => {
          const plane = this.#plane(options)
          await this.#released(await promote(plane, { names, ...options }), options, plane)
        },
      )
    this.#waiting(
      this.#command('rollback', 'Release a version that was live in the environment before'),
    )
      .argument('<prompt>', 'Prompt to roll back, as ns/key')
      .requiredOption('--env <environment>', 'Environment of the API key')
      .option('--to <version>', 'Version number (default: the previous version)', parseVersion)
      .option('--note <text>', 'Reason for the rollback')
      .addOption(tightening())
      .action(async (name: string, options: Waiting & Parameters<typeof rollback>[2]) => {
        const plane = this.#plane(options)
        await this.#released(await rollback(plane, name, options), options, plane)
      })
  }

  transfer(): void {
    this.#command('export', 'Write all configs and their versions to one file')
      .argument('<file>', 'File to write, or - for standard output')
      .option('--cases', 'Include pinned cases and their recorded events', false)
      .action(async (file: string, options: Common & { cases: boolean }) => {
        const { io, around, done } = this.#context
        const target = file === '-' ? file : path.resolve(around.cwd, file)
        const what = { file: target, cases: options.cases, json: options.json }
        done(await exportTo(this.#plane(options), io, what))
      })
    this.#command('import', 'Show what an export would add, or add it with --yes')
      .argument('<file>', 'File written by "signalbox export"')
      .option('--yes', 'Import the file', false)
      .action(async (file: string, options: Common & { yes: boolean }) => {
        const { io, around, done } = this.#context
        const { yes, json } = options
        const what = { file: path.resolve(around.cwd, file), yes, json }
        done(await importFrom(this.#plane(options), io, what))
      })
  }
}

export function addRemote(program: Command, context: CommandContext): void {
  const commands = new RemoteCommands(program, context)
  commands.files()
  commands.releases()
  commands.transfer()
}

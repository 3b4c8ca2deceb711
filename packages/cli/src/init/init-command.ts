import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { HookReach, Scope } from '@signalbox/adapters'
import { Argument, type Command, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, type Io, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import type { Surroundings } from '../base/surroundings.ts'
import { type DaemonPaths, daemonPaths } from '../daemon/daemon-paths.ts'
import { daemonPort } from '../daemon/daemon-settings.ts'
import { privateFolder } from '../daemon/private-files.ts'
import { writeShim } from '../shim/write-shim.ts'
import { lineDiff } from './line-diff.ts'
import { withHooks, withoutHooks } from './merge-hooks.ts'
import { ChangeBook, readSettings, realFile, writeSettings } from './settings-file.ts'
import { contentFor, type FileContent, hookReach, TARGETS, type Target } from './targets.ts'

interface InitOptions {
  readonly dir?: string
  readonly scope: Scope
  readonly http: boolean
  readonly port?: string
  readonly socket?: string
  readonly dryRun: boolean
  readonly yes: boolean
  readonly undo: boolean
}

export function addInit(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('Point the hooks of a harness at the daemon')
    .addArgument(
      new Argument('<harness>', 'Harness to set up').choices(TARGETS.map(({ name }) => name)),
    )
    .option('--dir <folder>', 'Project folder (default: the current folder)')
    .addOption(
      new Option('--scope <scope>', 'Set up this project, or all projects of the user')
        .choices(['project', 'user'])
        .default('project'),
    )
    .option(
      '--http',
      'Call the daemon over HTTP, without a process per call (claude-code only)',
      false,
    )
    .option('--port <number>', 'Daemon port for --http (env: SIGNALBOX_DAEMON_PORT; default: 7467)')
    .option('--socket <path>', 'Daemon socket (env: SIGNALBOX_SOCKET)')
    .option('--dry-run', 'Show the change and write nothing, even with --yes', false)
    .option('--yes', 'Write the change instead of only showing it', false)
    .option('--undo', 'Remove the Signalbox hooks', false)
    .action(async (name: string, options: InitOptions) =>
      context.done(await init(name, options, context)),
    )
}

interface Place {
  readonly target: Target
  readonly scope: Scope
  /** Links are resolved. */
  readonly file: string
  readonly paths: DaemonPaths
  readonly book: ChangeBook
  readonly content: FileContent
  readonly reach: HookReach
}

interface Edit {
  readonly before: string | null
  readonly after: string | null
}

async function init(
  name: string,
  options: InitOptions,
  { io, around }: CommandContext,
): Promise<number> {
  const place = await resolveInitPlace(name, options, around)
  const edit = options.undo ? undone(place) : done(place)
  if (edit.before === edit.after) {
    io.out(`${place.file}: nothing to change`)
    if (!options.undo && options.yes) writeShim(place.paths, around)
    return EXIT.clean
  }
  if (options.dryRun || !options.yes) {
    io.out(printable(place.file))
    for (const line of lineDiff(edit.before, edit.after)) io.out(printable(line))
    io.out('Nothing was written. Use --yes to write this change.')
    return EXIT.clean
  }
  write(place, edit, { undo: options.undo, around })
  io.out(printable(`${place.file}: ${options.undo ? 'restored' : 'written'}`))
  printNextSteps(io, place, options.undo)
  return EXIT.clean
}

function write(
  place: Place,
  { before, after }: Edit,
  { undo, around }: { readonly undo: boolean; readonly around: Surroundings },
): void {
  const { file, paths, book } = place
  privateFolder(paths.folder)
  if (undo) {
    writeSettings(file, after)
    book.forget(file)
    return
  }
  writeShim(paths, around)
  // The book comes first: a change that it notes and that was not made is detected by the digest.
  if (after !== null) book.note(file, restoreOriginal(place, before), after)
  writeSettings(file, after)
}

function restoreOriginal({ file, content, book }: Place, before: string | null): string | null {
  if (before === null) return null
  const change = book.of(file, before)
  if (change !== null) return change.before
  if (content.kind === 'hooks') return withoutHooks(before, file, content.settings)
  return before.includes(content.mark) ? null : before
}

async function resolveInitPlace(
  name: string,
  options: InitOptions,
  around: Surroundings,
): Promise<Place> {
  const target = TARGETS.find((each) => each.name === name)
  if (target === undefined) throw new Unusable(`There is no harness "${name}".`)
  if (options.http && !target.hasHttp)
    throw new Unusable(`${name} does not support HTTP hooks. Remove --http.`)
  const { scope } = options
  const dir = path.resolve(around.cwd, options.dir ?? '.')
  if (!fs.existsSync(dir)) throw new Unusable(`The folder ${dir} does not exist.`)
  const file = realFile(
    target.file(scope, { dir, env: around.env, home: around.home }),
    scope === 'project' ? dir : null,
  )
  const paths = daemonPaths(options.socket ?? null, around)
  const reach = hookReach(target, {
    shim: paths.shim,
    token: paths.token,
    socket: paths.isDefault ? null : paths.socket,
    http: options.http ? `http://127.0.0.1:${daemonPort(options.port, around)}` : null,
    version: target.tellsVersion ? null : await readProgramVersion(target.program, around),
  })
  const book = new ChangeBook(path.join(paths.folder, 'init.json'))
  return { target, scope, file, paths, book, content: contentFor(target, reach), reach }
}

/** Version that the program itself reports; null: it is not installed, or reports none. */
export async function readProgramVersion(
  program: string,
  { env }: Surroundings,
): Promise<string | null> {
  const options = {
    env: { ...env, NODE_ENV: env['NODE_ENV'] ?? 'production' } as NodeJS.ProcessEnv,
    timeout: 20_000,
  }
  const output = await promisify(execFile)(program, ['--version'], options).catch(() => null)
  return /\d+\.\d+\.\d+[0-9A-Za-z.-]*/.exec(output?.stdout ?? '')?.[0] ?? null
}

function done({ file, content, book }: Place): Edit {
  const before = readSettings(file)
  if (content.kind === 'hooks') return { before, after: withHooks(before, file, content.settings) }
  if (before !== null && book.of(file, before) === null && !before.includes(content.mark))
    throw new Unusable(`${file} exists and was not written by Signalbox. Move it first.`)
  return { before, after: content.text }
}

function undone({ file, content, book }: Place): Edit {
  const before = readSettings(file)
  if (before === null) return { before, after: null }
  const change = book.of(file, before)
  if (change !== null) return { before, after: change.before }
  if (content.kind === 'hooks')
    return { before, after: withoutHooks(before, file, content.settings) }
  if (!before.includes(content.mark)) return { before, after: before }
  throw new Unusable(`${file} has changed since Signalbox wrote it. Remove it yourself.`)
}

function printNextSteps(io: Io, { target, scope, paths, reach }: Place, undo: boolean): void {
  if (undo) {
    io.out(`The hooks of ${target.name} were removed.`)
    return
  }
  io.out(
    `The hooks of ${target.name} call the daemon on ${paths.socket}. If it does not answer, they refuse every call.`,
  )
  for (const sentence of target.afterwards(scope, reach)) io.out(sentence)
}
